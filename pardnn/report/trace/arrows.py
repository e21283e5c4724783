"""Arrows of a timeline: from the op that sends over both ports to the op that reads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler.schedule import Schedule
from scheduler.workload import Workload

START, STEP, END = "s", "t", "f"
Ends = dict[int, list[tuple[str, int]]]


def arrows(workload: Workload, schedule: Schedule, shown: NDArray[np.bool_]) -> Ends:
    """By span, as `spans_of` numbers them: (START, STEP or END, transfer) of each arrow that touches it.

    The arrow of a transfer that is shown visits both ports and those of its two ops that are shown; of several readers
    it goes to the one that runs first. O(m log m).
    """
    n, t = len(schedule.placement), len(schedule.transfer_src)
    reader = _first_reader(workload, schedule)
    transfer = np.arange(t)
    stops = np.stack([schedule.transfer_src.astype(np.int64), n + transfer, n + t + transfer, reader], axis=1)
    seen = shown[stops] if t else np.zeros((0, 4), np.bool_)
    ends: Ends = {}
    for number, (visited, is_seen) in enumerate(zip(stops.tolist(), seen.tolist(), strict=True)):
        if not is_seen[1]:
            continue
        spans = [span for span, there in zip(visited, is_seen, strict=True) if there]
        for span, phase in zip(spans, (START, *[STEP] * (len(spans) - 2), END), strict=True):
            ends.setdefault(span, []).append((phase, number))
    return ends


def _first_reader(workload: Workload, schedule: Schedule) -> NDArray[np.int64]:
    """[t] the node that is the first to start of those that wait for the transfer."""
    moved = np.flatnonzero(schedule.edge_transfer >= 0)
    carrier, reader = schedule.edge_transfer[moved], workload.dag.dst[moved].astype(np.int64)
    first = np.lexsort((reader, schedule.start_ns[reader], carrier))[::-1]
    found = np.zeros(len(schedule.transfer_src), np.int64)
    found[carrier[first]] = reader[first]  # the last that is written is the first to start
    return found
