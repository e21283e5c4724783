"""What a timeline leaves out where there is more than a viewer opens: the shortest spans, memory between its peaks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pardnn.report.trace.tracks import COMPUTE, Spans
from scheduler.schedule import Schedule

MAX_EVENTS = 1_000_000
"""Traces with more than about so many are reported not to open."""
ARROWS = 4  # at most, for a transfer: from the op that sends over both ports to the one that reads


def longest(spans: Spans, schedule: Schedule, room: int) -> NDArray[np.bool_]:
    """[s] which spans to keep, so that they and their arrows are at most `room` events: the longest items, whole.

    An item is an op, or a transfer with all of its spans and arrows. Ties go to the one that starts first, then to the
    smaller number. O(s log s).
    """
    n, t = len(schedule.placement), len(schedule.transfer_src)
    owner = np.where(spans.kind == COMPUTE, spans.item, n + spans.item)
    cost = np.bincount(owner, minlength=n + t)
    cost[n:] += ARROWS
    if int(cost.sum()) <= room:
        return np.ones(len(owner), np.bool_)
    start = np.concatenate([schedule.start_ns, schedule.transfer_start_ns])
    took = np.concatenate([schedule.finish_ns, schedule.transfer_finish_ns]) - start
    by_length = np.lexsort((start, -took))
    kept = np.zeros(n + t, np.bool_)
    kept[by_length[np.cumsum(cost[by_length]) <= room]] = True
    return kept[owner]


def thinned(device: NDArray[np.int32], held: NDArray[np.int64], room: int) -> NDArray[np.bool_]:
    """[c] which samples of memory to keep, about `room` of all devices' together, by device and time as they come.

    Of each stretch of neighbours the highest and the last, so every peak stays and so does what is held at the end.
    """
    count = len(device)
    if count <= room:
        return np.ones(count, np.bool_)
    kept = np.zeros(count, np.bool_)
    devices = np.unique(device)
    for d in devices.tolist():
        mine = np.flatnonzero(device == d)
        stretches = max(1, room * len(mine) // count // 2)
        for stretch in np.array_split(mine, min(stretches, len(mine))):
            kept[stretch[held[stretch].argmax()]] = kept[stretch[-1]] = True
    return kept
