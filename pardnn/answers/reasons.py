"""Why an op sits where it sits: what ties it there, what is near, how urgent it is, what other devices would cost."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np
from numpy.typing import NDArray

from pardnn.errors import InputError
from pardnn.machines.build import HOST
from pardnn.plan import Plan
from pardnn.report.explain import Explanation, Move, Traffic
from pardnn.report.words import short
from pardnn.slack import slack_ns
from pardnn.subject import Subject

_SUGGESTIONS = 3
_MANY = 5000  # names from which on fuzzy matching takes seconds


def explain(plan: Plan, op: str) -> Explanation:
    """The explanation of a placed op's device, by simulating its group on every other GPU. Raises InputError."""
    subject, schedule = plan.subject, plan.schedule
    problem = subject.problem
    v = find(subject, op)
    device = int(plan.device[v])
    members = problem.group_node[problem.group_ptr[problem.group[v]] : problem.group_ptr[problem.group[v] + 1]]
    return Explanation(
        op=op,
        kind=subject.ops[v],
        device=short(plan.devices[device]),
        time_us=int(problem.workload.time_ns[v, device]) / 1000,
        start_us=int(schedule.start_ns[v]) / 1000,
        slack_us=int(slack_ns(plan)[v]) / 1000,
        makespan_us=plan.makespan_us,
        pinned=_pinned(plan, v),
        group=[subject.names[u] for u in members.tolist() if u != v],
        traffic=_traffic(plan, members),
        moves=[] if problem.pin[v] >= 0 else _moves(plan, members),
    )


def find(subject: Subject, op: str) -> int:
    """The number of a placed op. Raises InputError that says why it is not placed, or which names are like it."""
    if op in subject.names:
        return subject.names.index(op)
    if op in subject.unplaced:
        raise InputError(f"{op!r} has no device: it was pruned ({subject.unplaced[op]})")
    inside = [name for name in subject.names if op.lower() in name.lower()]
    close = sorted(inside, key=len)[:_SUGGESTIONS]
    if not close:
        last = op.rpartition("/")[2].lower()
        like = subject.names if len(subject.names) <= _MANY else [n for n in subject.names if last[:4] in n.lower()]
        close = get_close_matches(op, like[:_MANY], _SUGGESTIONS)
    hint = f"did you mean {' or '.join(map(repr, close))}?" if close else "its names are in the plan file"
    raise InputError(f"{subject.name}: no op {op!r}: {hint}")


def _pinned(plan: Plan, v: int) -> str:
    problem = plan.subject.problem
    if problem.pin[v] < 0:
        return ""
    device = plan.devices[int(problem.pin[v])]
    if device == HOST and plan.subject.file is not None and not plan.options.pin and not plan.options.keep_devices:
        return "it, or an op that must sit with it, has no GPU kernel"
    return f"it, or an op that must sit with it, is pinned to {short(device)}"


def _traffic(plan: Plan, members: NDArray[np.int32]) -> Sequence[Traffic]:
    """Per device that the group exchanges anything with, its own among them."""
    work, k = plan.subject.problem.workload, plan.subject.problem.machine.k
    inside = np.zeros(work.dag.n, np.bool_)
    inside[members] = True
    src, dst = work.dag.src, work.dag.dst
    read, fed = inside[dst] & ~inside[src], inside[src] & ~inside[dst]
    columns = [
        np.bincount(plan.device[end[mask]], weights, k).astype(np.int64).tolist()
        for mask, end in ((read, src), (fed, dst))
        for weights in (None, work.edge_bytes[mask])
    ]
    rows = zip(plan.devices, *columns, strict=True)
    return [Traffic(short(name), *numbers) for name, *numbers in rows if any(numbers)]


def _moves(plan: Plan, members: NDArray[np.int32]) -> list[Move]:
    """The group on every other GPU, the best that fits first."""
    problem, moves = plan.subject.problem, []
    for d in range(problem.gpus):
        if d == plan.device[members[0]]:
            continue
        placement = plan.device.copy()
        placement[members] = d
        schedule = problem.simulate(placement)
        peaks = problem.peaks(schedule)
        change = schedule.makespan_ns - plan.schedule.makespan_ns
        fits = bool((peaks <= problem.machine.memory_bytes).all())
        moves.append(Move(short(plan.devices[d]), change / 1000, int(peaks[d]), fits))
    return sorted(moves, key=lambda move: (not move.fits, move.change_us))
