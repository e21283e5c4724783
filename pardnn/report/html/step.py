"""What a report knows of one simulated step: columns over ops, transfers and devices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scheduler.machine import UNLIMITED, Machine
from scheduler.memory import releases, resident, usage
from scheduler.schedule import Schedule
from scheduler.workload import Workload


@dataclass(frozen=True, eq=False)
class Step:
    """One step of n ops on k devices."""

    result: Mapping[str, Any]
    """The figures of `--json`."""
    names: Sequence[str]
    """[n]"""
    ops: Sequence[str]
    """[n] op types."""
    workload: Workload
    machine: Machine
    schedule: Schedule
    source: Sequence[str]
    """[n] where the time comes from."""
    why: Sequence[str]
    """[n] why the op sits where it sits, in a few words."""
    slack_ns: NDArray[np.int64]
    """[n] how much later each op could end without a longer step."""
    band_ns: NDArray[np.int64] | None = None
    """[n, 2] between which times the op's true one is likely to be; None where nothing is known."""

    @property
    def makespan_ns(self) -> int:
        """End of the last op."""
        return self.schedule.makespan_ns

    @property
    def place(self) -> NDArray[np.int32]:
        """[n] device of each op."""
        return self.schedule.placement

    @property
    def time_ns(self) -> NDArray[np.int64]:
        """[n] how long each op runs where it is."""
        return self.schedule.finish_ns - self.schedule.start_ns

    @property
    def sender(self) -> NDArray[np.int32]:
        """[t] device each transfer comes from."""
        return self.place[self.schedule.transfer_src]

    def limit(self, device: int) -> int | None:
        """The usable bytes of a device; None = unlimited."""
        limit = int(self.machine.memory_bytes[device])
        return None if limit == UNLIMITED else limit

    def links_of(self, sender: int, receiver: int) -> list[int]:
        """The links that a transfer holds."""
        pair = sender * self.machine.k + receiver
        return [int(x) for x in self.machine.path_link[self.machine.path_ptr[pair] : self.machine.path_ptr[pair + 1]]]

    def held(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Per device (time_ns, bytes held from that moment on), from the step's start on."""
        device, time, held = usage(self.workload, self.machine, self.schedule)
        base = resident(self.workload, self.machine, self.place)
        ends = np.searchsorted(device, np.arange(self.machine.k + 1))
        found = []
        for d, (a, b) in enumerate(pairwise(ends.tolist())):
            first = a == b or time[a] > 0
            found.append((
                np.concatenate([[0] if first else [], time[a:b]]).astype(np.int64),
                np.concatenate([[base[d]] if first else [], held[a:b]]).astype(np.int64),
            ))  # fmt: skip
        return found


def envelope(
    time: NDArray[np.int64], held: NDArray[np.int64], makespan_ns: int, bins: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """A curve of at most about `bins` points: the most bytes held in each of so many equal spans, peaks exact.

    >>> envelope(np.array([0, 1, 2, 9]), np.array([5, 7, 6, 1]), 10, 2)
    (array([0, 5]), array([7, 6]))
    """
    if len(time) <= bins or makespan_ns <= 0:
        return time, held
    start = np.unique(np.arange(bins, dtype=np.int64) * makespan_ns // bins)
    span = np.searchsorted(start, time, "right") - 1
    # What is held as a span begins was set before it.
    most = held[np.maximum(np.searchsorted(time, start, "right") - 1, 0)].copy()
    np.maximum.at(most, span, held)
    return start, most


def at_peak(step: Step, device: int, moment_ns: int, most: int) -> list[tuple[int, str, int]]:
    """The `most` largest of what a device holds at a moment: (op, what of it, bytes), the largest first."""
    work, schedule = step.workload, step.schedule
    output_until, copy_until = releases(work, schedule)
    here, runs = step.place == device, (schedule.start_ns <= moment_ns) & (moment_ns < schedule.finish_ns)
    lives = (schedule.start_ns <= moment_ns) & (moment_ns < output_until)
    came = schedule.transfer_device == device
    came &= (schedule.transfer_start_ns <= moment_ns) & (moment_ns < copy_until)
    op = np.arange(work.dag.n)
    parts = [
        (op[here], "variable", work.resident_bytes[here]),
        (op[here & lives], "output", work.output_bytes[here & lives]),
        (op[here & runs], "scratch", work.temp_bytes[here & runs]),
        (schedule.transfer_src[came], "received copy", schedule.transfer_bytes[came]),
    ]
    found: list[tuple[int, str, int]] = []
    for who, what, size in parts:
        top = np.argsort(-size, kind="stable")[:most]
        found += [(v, what, b) for v, b in zip(who[top].tolist(), size[top].tolist(), strict=True) if b]
    return sorted(found, key=lambda entry: -entry[2])[:most]


def shares(step: Step) -> NDArray[np.int64]:
    """[k, 3] nanoseconds in which each device works, only receives, does neither. O((n + t) log(n + t))."""
    schedule = step.schedule
    found = np.zeros((step.machine.k, 3), np.int64)
    for d in range(step.machine.k):
        mine, came = step.place == d, schedule.transfer_device == d
        times = (
            schedule.start_ns[mine],
            schedule.finish_ns[mine],
            schedule.transfer_start_ns[came],
            schedule.transfer_finish_ns[came],
        )
        moment = np.concatenate(times)
        change = np.concatenate([np.full(len(t), c) for t, c in zip(times, (1 << 32, -(1 << 32), 1, -1), strict=True)])
        order = np.argsort(moment, kind="stable")
        moment = np.concatenate([moment[order], [step.makespan_ns]])
        state, length = np.cumsum(change[order]), np.diff(moment)
        found[d, 0] = length[state >= 1 << 32].sum()
        found[d, 1] = length[(state > 0) & (state < 1 << 32)].sum()
        found[d, 2] = step.makespan_ns - found[d, 0] - found[d, 1]
    return found


def traffic(step: Step) -> NDArray[np.int64]:
    """[k, k] bytes sent from each device (row) to each (column)."""
    found = np.zeros((step.machine.k,) * 2, np.int64)
    np.add.at(found, (step.sender, step.schedule.transfer_device), step.schedule.transfer_bytes)
    return found
