"""The event simulation where devices are processors' cores: threads take turns, and sending is work for them too.

On a GPU copies are made by engines of their own, and one kernel fills the card. A worker that has a core does
everything there: its threads run one at a time, each for a slice of time while others wait, and what it sends and
receives is done by the same core, in turn with what it computes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scheduler import _sharing
from scheduler.machine import Machine
from scheduler.schedule import Schedule
from scheduler.simulate import _ended, _place
from scheduler.workload import Workload


@dataclass(frozen=True)
class Sharing:
    """How the devices of a machine share themselves, as TensorFlow's processor devices do."""

    send_ns: int = 0
    """What the core does for each tensor that it sends, whatever its size, and per byte beyond that."""
    receive_ns: int = 0
    send_s_per_byte: float = 0.0
    receive_s_per_byte: float = 0.0
    slots: int = 2
    """Threads that run nodes."""
    slice_ns: int = 4_000_000
    """A thread goes on for so long while others wait: Linux looks 250 times a second whether one has had its share."""
    at_once_bytes: int = 1 << 16
    """Up to so many bytes the thread that made a tensor sends it whole; the first window of an HTTP/2 connection."""


def simulate_sharing(workload: Workload, machine: Machine, placement: NDArray[np.int32], sharing: Sharing) -> Schedule:
    """The schedule of one step under a placement [n]; its transfers are between sending and delivery.

    A thread first sends what is wanted elsewhere, then goes on with the last that its node made ready; others may have
    the rest, of which it takes the newest and an idle thread the oldest. What arrives goes to all threads by turns. A
    large tensor is written and read at the same time, by one thread at each end, and handed to its readers by another;
    these two go to the front of the line when there is something to do. The machine's time for a transfer is what it
    takes where nothing else runs, both ends' work included; only the rest of it holds the links. A node's finish -
    start may be longer than its time. O((n + m) (log n + k)).
    """
    placement = np.ascontiguousarray(placement, np.int32)
    placed = _place(workload, machine, placement)
    dag, n, k, slots, count = workload.dag, workload.dag.n, machine.k, sharing.slots, len(placed.source)
    jobs, flight = _jobs(sharing, placed.nbytes, placed.takes_ns)
    start, finish = np.zeros((2, n), np.int64)
    transfer_start, transfer_finish = np.zeros((2, count), np.int64)
    threads = k * (slots + 2)
    ran = _sharing.run(
        k, slots, sharing.slice_ns,
        np.diff(dag.in_ptr), placement, placed.node_ns, dag.dst, placed.first_edge, placed.next_edge,
        placed.ptr, placed.device, flight, placed.source, jobs,
        machine.path_ptr, machine.path_link, np.zeros(len(machine.links), np.int64),
        np.full(k, -1, np.int32), *np.zeros((2, k), np.int64), np.empty(threads, np.int32), *np.zeros((2, k), np.int64),
        np.full(threads, -1, np.int32), np.zeros(threads, np.int64), np.full(threads, -1, np.int32),
        np.ones(threads, np.int32), *np.full((2, threads), -1, np.int32),
        np.empty(4 * count, np.int32), np.ones(count, np.int32),
        *np.empty((2, count + 1), np.int64), *np.full((2, k * slots), -1, np.int32), *np.empty((3, n), np.int32),
        start, finish, transfer_start, transfer_finish,
    )  # fmt: skip
    return _ended(workload, placement, placed, ran, start, finish, transfer_start, transfer_finish)


def _jobs(
    sharing: Sharing, nbytes: NDArray[np.int64], takes_ns: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """([4 t] time of each job of each transfer, [t] what the link takes beside them)."""
    write = np.rint(nbytes * (sharing.send_s_per_byte * 1e9)).astype(np.int64)
    read = np.rint(nbytes * (sharing.receive_s_per_byte * 1e9)).astype(np.int64)
    small = nbytes <= sharing.at_once_bytes
    reading, handing = sharing.receive_ns // 2, sharing.receive_ns - sharing.receive_ns // 2
    jobs = np.stack([
        sharing.send_ns + np.where(small, write, 0), np.where(small, 0, write), reading + read,
        np.full_like(read, handing),
    ], axis=1)  # fmt: skip
    work = sharing.send_ns + sharing.receive_ns + np.where(small, write + read, np.maximum(write, read))
    return np.ascontiguousarray(jobs.ravel()), np.maximum(takes_ns - work, 0)
