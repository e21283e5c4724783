"""Host offload: what lies idle between the halves of a step waits in the host's memory, and comes back in time.

    v -> to_host -> from_host -> readers in the second half          to_host, from_host: on the host, no time there
         trigger ---^                                                 both ways over its link, which is simulated

The trigger is an op that runs about twice a transfer's time before the first reader. The link is slower than the ops,
so that an op whose output shall go there waits until enough of what was to go before it has gone. An optimizer slot is
the same with the host as its home: it is fetched for the update, and what the update makes of it is sent back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pardnn.optimize.draft import Changed, Draft
from pardnn.optimize.halves import Halves
from scheduler.machine import link_ns

_LEAD = 2.0
_WINDOW = 8
"""Such a part of what is moved may be on its way, or wait for it."""
_TINY = 1000
"""Tensors of less than such a part of all that could be moved stay."""


@dataclass(frozen=True)
class Slot:
    """A variable that only updates read: its op, its bytes, the ops that read it and those of them that change it."""

    op: int
    size: int
    readers: tuple[int, ...]
    writers: tuple[int, ...]


@dataclass(frozen=True)
class Idle:
    """Something that may wait in the host's memory: a kept output, or a slot."""

    op: int
    size: int
    slot: Slot | None = None


def idle(halves: Halves, slots: Sequence[Slot]) -> list[Idle]:
    """What may be moved, the longest idle first, slots last; tiny things stay."""
    dag, size = halves.problem.workload.dag, halves.problem.workload.output_bytes
    gap = {}
    for v in halves.kept.tolist():
        first = halves.first(int(dag.dst[e]) for e in halves.late_edges(v))
        gap[v] = int(halves.start_ns[first] - halves.finish_ns[v])
    found = [Idle(v, int(size[v])) for v in sorted(gap, key=lambda v: (-gap[v], v))]
    found += [Idle(slot.op, slot.size, slot) for slot in slots]
    least = sum(item.size for item in found) // _TINY
    return [item for item in found if item.size > least]


def prefix(items: Sequence[Idle], share: float) -> list[Idle]:
    """The first of them that hold all but such a share of the bytes: share 0 is all of them, 1 none."""
    total, passed, picked = sum(item.size for item in items), 0, []
    for item in items:
        if passed >= (1 - share) * total:
            break
        picked.append(item)
        passed += item.size
    return picked


def offload(halves: Halves, items: Sequence[Idle]) -> Changed:
    """The problem, which has a host, in which these wait there."""
    draft = Draft(halves.problem)
    gone = {item.op: _output(draft, halves, item.op) for item in items if item.slot is None}
    for item in items:
        if item.slot is not None:
            _slot(draft, halves, item.slot)
    _hold_back(draft, halves, [item for item in items if item.op in gone], gone)
    return draft.changed


def _hold_back(draft: Draft, halves: Halves, items: Sequence[Idle], gone: dict[int, list[int]]) -> None:
    """Let each op wait until of what was made before it no more than a window's bytes are still to go."""
    line = sorted(items, key=lambda item: int(halves.place[item.op]))
    window, waiting, first = sum(item.size for item in line) // _WINDOW, 0, 0
    for item in line:
        while waiting > window:
            waiting -= line[first].size
            for there in gone[line[first].op]:
                draft.edge(there, item.op)
            first += 1
        waiting += item.size


def _output(draft: Draft, halves: Halves, v: int) -> list[int]:
    """Send each of an op's outputs to the host, and its second-half readers to what comes back: what is there then."""
    work = halves.problem.workload
    by_size: dict[int, list[int]] = {}
    arrived = []
    for e in halves.late_edges(v):
        by_size.setdefault(int(work.edge_bytes[e]), []).append(e)
    for size, edges in sorted(by_size.items()):
        if not size:  # who only waits for the op needs nothing from the host
            continue
        there = draft.on_host(v, "to_host", size)
        back = draft.on_host(v, "from_host", size)
        first = halves.first(int(work.dag.dst[e]) for e in edges)
        draft.edge(v, there, size)
        draft.edge(there, back, size)
        draft.edge(halves.before(first, _lead_ns(halves, size)), back)
        draft.turn(edges, back)
        arrived.append(there)
    return arrived


def _slot(draft: Draft, halves: Halves, slot: Slot) -> None:
    """Keep a slot on the host: fetched before what reads it, written back behind what changes it."""
    work = halves.problem.workload
    draft.resident[slot.op] -= slot.size
    home = draft.on_host(slot.op, "on_host", 0, held=slot.size)
    back = draft.on_host(slot.op, "from_host", slot.size)
    draft.edge(home, back)
    # A mere read stands at the beginning of the step; what counts is who reads the value.
    uses = [u for r in slot.readers for u in ([r] if r in slot.writers else _readers(halves, r) or [r])]
    draft.edge(halves.before(halves.first(uses), _lead_ns(halves, slot.size)), back)
    for reader in slot.readers:
        draft.edge(back, reader, slot.size)
        if reader not in slot.writers and not work.output_bytes[reader]:
            draft.output[reader] = slot.size  # it names the variable no more
    for writer in slot.writers:
        draft.edge(writer, draft.on_host(slot.op, "to_host", 0), slot.size)


def _readers(halves: Halves, v: int) -> list[int]:
    dag = halves.problem.workload.dag
    readers: list[int] = dag.dst[dag.out_edge[dag.out_ptr[v] : dag.out_ptr[v + 1]]].tolist()
    return readers


def _lead_ns(halves: Halves, size: int) -> int:
    """How long before its first use something is fetched."""
    machine = halves.problem.machine
    host = machine.k - 1
    link = link_ns(np.array([size]), int(machine.latency_ns[host, 0]), int(machine.bytes_per_s[host, 0]))
    return int(_LEAD * link[0])
