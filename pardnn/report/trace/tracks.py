"""What a timeline shows: spans of time on tracks, none of which ever holds two at once."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduler.machine import Machine
from scheduler.schedule import Schedule

Times = tuple[NDArray[np.int64], NDArray[np.int64]]
COMPUTE, SEND, RECV, LINK = range(4)
_TITLES = ("compute", "send", "recv")


class Track(NamedTuple):
    """A line of the timeline: device k, or number k for what lies between devices, and what it is called there."""

    process: int
    title: str


@dataclass(frozen=True, eq=False)
class Spans:
    """s spans, those of ops first, then those of transfers: sent, received, and on each link besides the ports."""

    tracks: tuple[Track, ...]
    track: NDArray[np.int64]
    """[s] number of the track."""
    kind: NDArray[np.int8]
    """[s] COMPUTE, SEND, RECV or LINK."""
    item: NDArray[np.int64]
    """[s] the node that runs, or the transfer."""


def spans_of(machine: Machine, schedule: Schedule) -> Spans:
    """Every op on its device's track, every transfer on the tracks of both ports and of each link between them.

    Where transfers do not wait for links they overlap, and then a port has as many tracks as it needs.
    O((n + t) log t).
    """
    n, t = len(schedule.placement), len(schedule.transfer_src)
    each, source = np.arange(t), schedule.placement[schedule.transfer_src].astype(np.int64)
    carried, link = _between(machine, source, schedule.transfer_device.astype(np.int64))
    k, links = machine.k, len(machine.links)
    kind = np.repeat(np.arange(4, dtype=np.int8), [n, t, t, len(carried)])
    item = np.concatenate([np.arange(n), each, each, carried])
    line = np.concatenate([
        schedule.placement, k + source, 2 * k + schedule.transfer_device, 3 * k + link,
    ]).astype(np.int64)  # fmt: skip
    lane = _lanes(line, *_times(schedule, item))
    used, track = np.unique(np.stack([line, lane]), axis=1, return_inverse=True)
    titles = [(d, title) for title in _TITLES for d in range(k)] + [(k, machine.links[x]) for x in range(links)]
    tracks = tuple(
        Track(titles[x][0], titles[x][1] + (f" {again + 1}" if again else "")) for x, again in used.T.tolist()
    )
    return Spans(tracks, track.ravel(), kind, item)


def times_of(spans: Spans, schedule: Schedule) -> Times:
    """([s] start, [s] finish) of each span, in ns."""
    return _times(schedule, spans.item)


def _times(schedule: Schedule, item: NDArray[np.int64]) -> Times:
    carried = item[len(schedule.placement) :]
    return (
        np.concatenate([schedule.start_ns, schedule.transfer_start_ns[carried]]),
        np.concatenate([schedule.finish_ns, schedule.transfer_finish_ns[carried]]),
    )


def _between(
    machine: Machine, source: NDArray[np.int64], target: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(transfer, link) of each link that a transfer holds and that is not its ends' own port."""
    ports = {f"{device} {way}" for device in machine.devices for way in ("out", "in")}
    shared = np.array([name not in ports for name in machine.links], np.bool_)
    pair = source * machine.k + target
    length = machine.path_ptr[pair + 1] - machine.path_ptr[pair]
    transfer = np.repeat(np.arange(len(pair)), length)
    step = np.arange(len(transfer)) - np.repeat(np.cumsum(length) - length, length)
    link = machine.path_link[np.repeat(machine.path_ptr[pair], length) + step].astype(np.int64)
    kept = shared[link] if len(link) else np.zeros(0, np.bool_)
    return transfer[kept], link[kept]


def _lanes(line: NDArray[np.int64], start: NDArray[np.int64], finish: NDArray[np.int64]) -> NDArray[np.int64]:
    """[s] which of its line's tracks each span takes: the first that is free."""
    lane = np.zeros(len(line), np.int64)
    by_line = np.lexsort((finish, start, line))
    busy: list[tuple[int, int]] = []
    free: list[int] = []
    used, current = 0, -1
    columns = (by_line, line[by_line], start[by_line], finish[by_line])
    for span, where, begin, end in zip(*(column.tolist() for column in columns), strict=True):
        if where != current:
            busy, free, used, current = [], [], 0, where
        while busy and busy[0][0] <= begin:
            heapq.heappush(free, heapq.heappop(busy)[1])
        if free:
            taken = heapq.heappop(free)
        else:
            taken, used = used, used + 1
        heapq.heappush(busy, (end, taken))
        lane[span] = taken
    return lane
