"""The event simulation where devices are processors: they run several nodes at once, and sending is work for them too.

On a GPU copies are made by engines of their own, and one kernel fills the card. A processor that is a worker does
everything itself: its threads take turns, so of several nodes each advances at a part of the speed, and what it sends
or receives keeps it from computing meanwhile, while transfers hardly wait for what computes.
"""

from __future__ import annotations

import math
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

    slots: int = 2
    """Threads, and so nodes that a device runs at once, each at an equal part of its speed."""
    cheap_ns: int = 3000
    """Nodes up to this time are done by the thread that made them ready, before anything else."""
    send_ns: int = 0
    """How long a device cannot compute for each tensor it sends, whatever its size, and per byte beyond that."""
    receive_ns: int = 0
    flight_ns: int = 0
    """The last part of a transfer, in which its links are free for the next."""
    send_s_per_byte: float = 0.0
    receive_s_per_byte: float = 0.0


def simulate_sharing(workload: Workload, machine: Machine, placement: NDArray[np.int32], sharing: Sharing) -> Schedule:
    """The schedule of one step under a placement [n], transfers as in `simulate` with contention "link".

    A thread does next what its last node made ready: the cheap ones in turn, of the others the last, at once; the rest
    wait in its own queue, of which it takes the newest and an idle thread the oldest. What an arrival makes ready goes
    to the back of a queue, by turns. A node's finish - start may be longer than its time. O((n + m) (log n + k slots)).
    """
    placement = np.ascontiguousarray(placement, np.int32)
    placed = _place(workload, machine, placement)
    dag, n, k, slots, count = workload.dag, workload.dag.n, machine.k, sharing.slots, len(placed.source)
    size = placed.nbytes.astype(np.float64)
    send = sharing.send_ns + np.rint(size * sharing.send_s_per_byte * 1e9).astype(np.int64)
    receive = sharing.receive_ns + np.rint(size * sharing.receive_s_per_byte * 1e9).astype(np.int64)
    start, finish = np.zeros((2, n), np.int64)
    transfer_start, transfer_finish = np.zeros((2, count), np.int64)
    event_key, event_tie = np.empty((2, 2 * count + 1), np.int64)
    running, head, tail = np.full(k * slots, -1, np.int32), *np.full((2, 2 * k * slots), -1, np.int32)
    ran = _sharing.run(
        k, slots, math.lcm(*range(1, slots + 1)), sharing.cheap_ns, sharing.flight_ns,
        np.diff(dag.in_ptr), placement, placed.node_ns, dag.dst, placed.first_edge, placed.next_edge,
        placed.ptr, placed.device, placed.takes_ns, placed.source,
        send, receive, machine.path_ptr, machine.path_link, np.zeros(len(machine.links), np.int64),
        running, np.zeros(k * slots, np.int64), *np.zeros((4, k), np.int64),
        event_key, event_tie, head, tail, *np.empty((3, n), np.int32),
        start, finish, transfer_start, transfer_finish,
    )  # fmt: skip
    return _ended(workload, placement, placed, ran, start, finish, transfer_start, transfer_finish)
