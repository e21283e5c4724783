"""What one training step takes before anything is placed: time and memory per op, by kind, and in total on one card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pardnn.answers.survey import own_time_ns
from pardnn.cost.allocator import held_bytes, workspace_bytes
from pardnn.cost.bands import total_band
from pardnn.cost.estimate import estimate_graph
from pardnn.cost.listing import Listing
from pardnn.cost.tensor import tensor
from pardnn.errors import InputError
from pardnn.graph.opgraph import OpGraph
from pardnn.graph.roles import find_roles
from pardnn.machines.build import HOST
from pardnn.subject import Subject
from scheduler.machine import UNLIMITED
from scheduler.memory import peaks, releases, usage
from scheduler.schedule import Schedule
from scheduler.workload import Workload

HELD = ("weights", "frozen", "slots", "state", "constants")
"""Kinds of memory that is held for the whole step, of a TensorFlow graph; a cost graph has `resident` alone."""
_BANDS = {
    "measured": "as exact as the measurement",
    "learned": "each op has a band of its own, which holds 9 of 10 like it",
    "roofline": (
        "whole VGG-16 steps on a V100 (batch 4 to 64) were predicted at 0.4 to 1.7 times what was measured, single ops"
        " mostly at 0.7 to 1.3 times, odd convolutions at as little as 0.25"
    ),
    "default": "by bytes alone, since the op's type is unknown: its order of magnitude",
}
Bytes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Kinds:
    """[n] bytes per op by kind: what it holds for the whole step, its fresh outputs, its workspace."""

    held: Mapping[str, Bytes]
    gradients: Bytes | None
    """Part of the outputs; None where nothing says which are."""


def footprint(subject: Subject, top: int) -> dict[str, Any]:
    """Every figure by name, ready for JSON, with the `top` most expensive ops. Times are those of one card.

    The step is simulated once on each unlike GPU with nothing else on it but what must run on the host.
    """
    work, own = subject.problem.workload, own_time_ns(subject)
    kinds = _kinds(subject)
    flops = subject.costs.flops
    outputs = int(work.output_bytes.sum())
    gradients = None if kinds.gradients is None else int(kinds.gradients.sum())
    allocated = None if subject.graph is None else _allocated(subject.graph, work)
    return {
        "format": "pardnn-estimate/1",
        "graph": subject.name,
        "nodes": subject.nodes_read,
        "edges": subject.edges_read,
        "placed": len(subject.names),
        "time_us": int(own.sum()) / 1000,
        "time_band": list(total_band(own, subject.costs.band)),
        "flops": None if flops is None else int(flops.astype(np.float64).sum()),
        "held_bytes": {kind: int(column.sum()) for kind, column in kinds.held.items()},
        "gradient_bytes": gradients,
        "activation_bytes": outputs - (gradients or 0),
        "workspace_bytes": int(work.temp_bytes.max(initial=0)),
        "steps": [_step(subject, kinds, allocated, d) for d in _unlike(subject)],
        "op_types": _op_types(subject, own),
        "top_ops": _top_ops(subject, own, top),
        "coverage": subject.coverage,
        "measured_percent": dict(subject.costs.measured_percent),
        "bands": {name: band for name, band in _BANDS.items() if name in subject.costs.source},
        "seconds": dict(subject.seconds),
        "warnings": list(subject.notes),
        "outputs": [],
    }


def listing(subject: Subject) -> Listing:
    """The costs per op as `--costs measured:FILE` takes them back. Raises InputError for a cost graph."""
    if subject.graph is None:
        raise InputError(f"{subject.name}: brings its own costs: edit it, or a copy from `pardnn inspect --export`")
    work, costs = subject.problem.workload, subject.costs
    output, temp, resident = (c.tolist() for c in (work.output_bytes, work.temp_bytes, work.resident_bytes))
    return Listing(subject.names, costs.run_ns.tolist(), output, temp, resident, costs.source)


def _kinds(subject: Subject) -> _Kinds:
    resident, graph = subject.problem.workload.resident_bytes, subject.graph
    if graph is None:
        return _Kinds({"resident": resident}, None)
    roles = find_roles(graph)
    held = {kind: np.zeros_like(resident) for kind in HELD}
    for v, size in enumerate(resident.tolist()):
        held[roles.variables.get(v, "constants")][v] = size
    return _Kinds(held, _gradients(graph, roles.gradients, subject.problem.workload.output_bytes))


def _gradients(graph: OpGraph, ends: frozenset[tuple[int, int]], output_bytes: Bytes) -> Bytes:
    """[n] bytes of the op's outputs that are gradients."""
    result = np.zeros_like(output_bytes)
    for v, port in sorted(ends):
        if port < len(graph.output_shapes[v]):
            result[v] += tensor(graph.output_dtypes[v][port], graph.output_shapes[v][port]).bytes
    return np.minimum(result, output_bytes)


def _unlike(subject: Subject) -> list[int]:
    """The first of each kind of GPU, in order."""
    problem = subject.problem
    kinds = {
        (problem.workload.time_ns[:, d].tobytes(), problem.machine.memory_bytes[d]): d
        for d in reversed(range(problem.gpus))
    }
    return sorted(kinds.values())


def _allocated(graph: OpGraph, work: Workload) -> Workload:
    """The workload with what the allocator and cuDNN add to its tensors."""
    temp = workspace_bytes(estimate_graph(graph), work.temp_bytes)
    return replace(work, resident_bytes=held_bytes(work.resident_bytes), temp_bytes=temp)


def _step(subject: Subject, kinds: _Kinds, allocated: Workload | None, gpu: int) -> dict[str, Any]:
    """One step on one GPU: how long it takes and, per device in use, what is held at its worst moment."""
    problem = subject.problem
    at_home = problem.gpus if HOST in problem.machine.devices else -1
    place = np.where((problem.pin == at_home) & (at_home >= 0), at_home, gpu).astype(np.int32)
    schedule = problem.simulate(place)
    memory = [_memory(subject, kinds, schedule, d) for d in ([gpu, at_home] if at_home >= 0 else [gpu])]
    limit = int(problem.machine.memory_bytes[gpu])
    low, high = total_band(own_time_ns(subject), subject.costs.band)
    return {
        "card": None
        if subject.graph is None
        else subject.hardware.cards[gpu].name,  # else the times are the graph's own
        "speed": str(subject.hardware.speed[gpu]),
        "step_us": schedule.makespan_ns / 1000,
        "low_us": schedule.makespan_ns / 1000 * low,
        "high_us": schedule.makespan_ns / 1000 * high,
        "allocator_bytes": None if allocated is None else int(peaks(allocated, problem.machine, schedule)[gpu]),
        "limit_bytes": None if limit == UNLIMITED else limit,
        "fits": bool(memory[0]["peak_bytes"] <= limit),
        "memory": memory,
    }


def _memory(subject: Subject, kinds: _Kinds, schedule: Schedule, device: int) -> dict[str, Any]:
    """What a device holds at the moment when it holds most, by kind; the kinds add up to the peak."""
    work, here = subject.problem.workload, schedule.placement == device
    where, when, held = usage(work, subject.problem.machine, schedule)
    mine = where == device
    moment = int(when[mine][np.argmax(held[mine])]) if mine.any() else 0
    until, copy_until = releases(work, schedule)
    started = here & (schedule.start_ns <= moment)
    alive = started & (until > moment)
    copies = (schedule.transfer_device == device) & (schedule.transfer_start_ns <= moment) & (copy_until > moment)
    gradients = None if kinds.gradients is None else int(kinds.gradients[alive].sum())
    parts = {
        **{kind: int(column[here].sum()) for kind, column in kinds.held.items()},
        "gradients": gradients,
        "activations": int(work.output_bytes[alive].sum()) - (gradients or 0),
        "received": int(schedule.transfer_bytes[copies].sum()),
        "workspace": int(work.temp_bytes[started & (schedule.finish_ns > moment)].sum()),
    }
    return {
        "device": "host" if subject.problem.machine.devices[device] == HOST else "GPU",
        "ops": int(here.sum()),
        "peak_bytes": sum(size or 0 for size in parts.values()),
        "moment_us": moment / 1000,
        "at_peak": parts,
    }


def _op_types(subject: Subject, own: Bytes) -> list[dict[str, Any]]:
    """A row per op type, the most time first."""
    work, flops = subject.problem.workload, subject.costs.flops
    kinds, which = np.unique(np.array(subject.ops), return_inverse=True)
    columns = {
        "count": np.ones_like(own), "time_us": own, "flops": flops, "resident_bytes": work.resident_bytes,
        "output_bytes": work.output_bytes, "temp_bytes": work.temp_bytes,
    }  # fmt: skip
    rows: list[dict[str, Any]] = [{"op": str(kind)} for kind in kinds]
    for name, column in columns.items():
        total = np.zeros(len(kinds), np.float64 if name == "flops" else np.int64)
        if name == "temp_bytes":  # ops run one after the other, so workspace is not added up
            np.maximum.at(total, which, work.temp_bytes)
        elif column is not None:
            np.add.at(total, which, column)
        for row, value in zip(rows, total.tolist(), strict=True):
            row[name] = value / 1000 if name == "time_us" else None if column is None else int(value)
    return sorted(rows, key=lambda row: (-row["time_us"], row["op"]))


def _top_ops(subject: Subject, own: Bytes, top: int) -> list[dict[str, Any]]:
    """The ops that take longest in a step."""
    work, costs = subject.problem.workload, subject.costs
    return [
        {
            "name": subject.names[v],
            "op": subject.ops[v],
            "time_us": int(own[v]) / 1000,
            "flops": None if costs.flops is None else int(costs.flops[v]),
            "output_bytes": int(work.output_bytes[v]),
            "temp_bytes": int(work.temp_bytes[v]),
            "resident_bytes": int(work.resident_bytes[v]),
            "source": costs.source[v],
            "band": costs.band[v].tolist(),
            "low_us": int(own[v]) / 1000 * float(costs.band[v, 0]),
            "high_us": int(own[v]) / 1000 * float(costs.band[v, 1]),
        }
        for v in np.argsort(-own, kind="stable")[:top].tolist()
    ]
