"""Split or not: a plan beside data parallelism on the same GPUs, "1x8, 2x4, 4x2, 8x1", by samples per second."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pardnn.distribute.ring import ring_ns
from pardnn.errors import DoesNotFit
from pardnn.graph.roles import find_roles
from pardnn.methods import aside
from pardnn.plan import Plan
from pardnn.problem import Partitioner, Placement, Problem
from pardnn.report.words import count
from pardnn.subject import Subject
from scheduler.workload import Workload

_SHARE = 0.1
"""Of a time limit, for all of this."""


@dataclass(frozen=True)
class Weights:
    """What the replicas sum up after each step: [w] the ops that hold it and how many bytes each."""

    ops: NDArray[np.int64]
    bytes: NDArray[np.int64]
    exact: bool
    """False of a cost graph, which does not say what of its resident bytes is trained: all of it counts."""


def replicas(plan: Plan, tell: Callable[[str], None] = lambda _: None) -> dict[str, Any] | None:
    """For each divisor d of the K GPUs, K/d replicas of the step on d GPUs each, beside the plan; None where K is 1.

    Every replica works on a batch of its own of the size planned for, so K/d replicas do K/d times as much in a step.
    A step is a replica's own, simulated on its GPUs, and the ring all-reduce of the gradients: after it (`step_us`), or
    wholly hidden behind it (`hidden_us`), between which the truth lies. Replicas on more than one GPU are searched for
    with a part of the plan's effort; with efforts and methods that do not search they are left out.
    """
    subject, problem = plan.subject, plan.subject.problem
    gpus = problem.gpus
    if gpus == 1:
        return None
    if ((problem.pin >= 0) & (problem.pin < gpus)).any():
        return _answer(plan, [], None, "ops are pinned to GPUs, so that there can be no replicas on others")
    limit, started = plan.options.time_limit_s, time.perf_counter()

    def late() -> bool:
        return limit is not None and time.perf_counter() - started > _SHARE * limit

    weights = trained(subject)
    rows = [_row(plan, weights, 1, [plan.device], plan.schedule.makespan_ns, plan.peak_bytes)]
    known: list[Placement] = []
    for each in (d for d in range(1, gpus) if gpus % d == 0):
        folded = (plan.device // (gpus // each)).astype(np.int32)
        choose = aside(plan.options.method, plan.options.effort, [folded, *known[-1:]], late)
        if each == 1 or choose is not None:
            tell(f"beside it: {gpus // each} replicas of {count(each, 'GPU')}")
            rows.insert(1, _replicated(plan, weights, each, choose, known))
    return _answer(plan, rows, weights, "")


def trained(subject: Subject) -> Weights:
    """The weights that an optimiser updates; of a cost graph whatever is resident, as an upper bound."""
    resident = subject.problem.workload.resident_bytes
    if subject.graph is None:
        ops = np.flatnonzero(resident)
        return Weights(ops, resident[ops], exact=False)
    found = find_roles(subject.graph).variables
    ops = np.array([v for v, role in sorted(found.items()) if role == "weights"], np.int64)
    return Weights(ops, resident[ops], exact=True)


def _replicated(
    plan: Plan, weights: Weights, each: int, choose: Partitioner | None, known: list[Placement]
) -> dict[str, Any]:
    """The row of replicas on so many GPUs each; they wait for the slowest. Without a step time where one has no room.

    `known` grows by the first replica's placement, from which the search for more GPUs sets out.
    """
    problem = plan.subject.problem
    done: dict[bytes, tuple[Placement, int, list[int]] | None] = {}
    where: list[Placement] = []
    peaks: list[int] = []
    step_ns = 0
    for devices in _blocks(problem, each):
        own = _on(problem, devices, each)
        key = _kind(own)
        if key not in done:  # like GPUs are planned once
            done[key] = _placed(own, plan.options.seed, choose)
        found = done[key]
        if found is None:
            return _row(plan, weights, problem.gpus // each, None, 0, [])
        placement, own_ns, own_peaks = found
        known += [] if where else [placement]
        where.append(devices[placement])
        step_ns, peaks = max(step_ns, own_ns), peaks + own_peaks
    return _row(plan, weights, len(where), where, step_ns, peaks)


def _blocks(problem: Problem, each: int) -> Iterator[NDArray[np.int32]]:
    """The GPUs of each replica, neighbours in number, and the host with them if it is a device."""
    hosts = range(problem.gpus, problem.machine.k)
    for first in range(0, problem.gpus, each):
        yield np.array([*range(first, first + each), *hosts], np.int32)


def _on(problem: Problem, devices: NDArray[np.int32], gpus: int) -> Problem:
    """The problem on these of its devices."""
    work = problem.workload
    part = Workload.build(
        work.dag, work.time_ns[:, devices], work.edge_bytes, work.resident_bytes, work.output_bytes, work.temp_bytes
    )
    pin = np.where(problem.pin < 0, -1, problem.pin - problem.gpus + gpus).astype(np.int32)
    return replace(problem, workload=part, machine=problem.machine.part(devices), pin=pin, gpus=gpus)


def _kind(problem: Problem) -> bytes:
    """Equal for problems that differ in the names of their devices only."""
    machine = problem.machine
    columns = (
        machine.memory_bytes,
        machine.latency_ns,
        machine.bytes_per_s,
        machine.path_ptr,
        problem.workload.time_ns,
    )
    return b"".join(column.tobytes() for column in columns)


def _placed(problem: Problem, seed: int, choose: Partitioner | None) -> tuple[Placement, int, list[int]] | None:
    """A replica's placement, its time and its GPUs' peaks; None where it does not fit."""
    if problem.gpus == 1:
        placement = np.where(problem.pin < 0, 0, problem.pin).astype(np.int32)
    else:
        assert choose is not None
        try:
            placement = choose(problem, np.random.default_rng(seed))
        except DoesNotFit:
            return None
    schedule = problem.simulate(placement)
    peaks = problem.peaks(schedule)
    if (peaks > problem.machine.memory_bytes).any():
        return None
    return placement, schedule.makespan_ns, peaks[: problem.gpus].tolist()


def _row(
    plan: Plan, weights: Weights, number: int, where: list[Placement] | None, own_ns: int, peaks: list[int]
) -> dict[str, Any]:
    """The figures of so many replicas; `where` is None of such as do not fit."""
    problem, batch = plan.subject.problem, _batch(plan)
    row: dict[str, Any] = {
        "name": f"{number}x{problem.gpus // number}",
        "replicas": number,
        "gpus_each": problem.gpus // number,
        "batch": None if batch is None else number * batch,
        "fits": where is not None and bool(plan.fits or number > 1),
    }
    if where is None:
        return row | dict.fromkeys(
            ("replica_us", "allreduce_us", "step_us", "hidden_us", "per_second", "per_second_hidden", "peak_bytes")
        )
    ring = ring_ns(problem.machine, [place[weights.ops] for place in where], weights.bytes, problem.contention)
    done = number * (1 if batch is None else batch)
    after, hidden = own_ns + ring, max(own_ns, ring)
    return row | {
        "replica_us": own_ns / 1000,
        "allreduce_us": ring / 1000,
        "step_us": after / 1000,
        "hidden_us": hidden / 1000,
        "per_second": done * 1e9 / after if after else None,
        "per_second_hidden": done * 1e9 / hidden if hidden else None,
        "peak_bytes": max(peaks),
    }


def _batch(plan: Plan) -> int | None:
    """The batch size, where it is known because the graph left it open."""
    graph = plan.subject.graph
    return plan.options.batch_size if graph is not None and graph.batched else None


def _answer(plan: Plan, rows: list[dict[str, Any]], weights: Weights | None, reason: str) -> dict[str, Any]:
    fitting = [row for row in rows if row["fits"] and row["per_second"]]
    return {
        "unit": "batches" if _batch(plan) is None else "samples",
        "gradient_bytes": None if weights is None else int(weights.bytes.sum()),
        "gradients_exact": weights is not None and weights.exact,
        "rows": rows,
        "best": max(fitting, key=lambda row: row["per_second"])["name"] if fitting else None,
        "reason": reason,
    }
