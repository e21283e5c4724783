"""The event simulation of one training step: who runs when, and what is sent when."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduler import _engine
from scheduler.machine import Machine
from scheduler.priority import ORDERS, Priority
from scheduler.schedule import Schedule
from scheduler.workload import Workload

CONTENTION = ("none", "link")


def simulate(
    workload: Workload,
    machine: Machine,
    placement: NDArray[np.int32],
    order: str | Priority = "fifo",
    contention: str = "link",
) -> Schedule:
    """The schedule of one step under a placement [n] of nodes on devices.

    A device runs one node at a time, never preempts, and takes its ready nodes by `order`. When a node ends, its
    tensors are sent, one transfer per (producer, receiving device, size), in the order of its edges. With contention
    "none" a transfer starts at once; with "link" when all links on its path are free, granted in the order of asking.
    At one moment arrivals come first, then ends of nodes, each in the order of their starts; then every idle device, in
    rising number, takes its next node. O((n + m) log n).
    """
    if contention not in CONTENTION:
        raise ValueError(f"contention must be one of {CONTENTION}, not {contention!r}")
    if workload.k != machine.k:
        raise ValueError(f"the workload has times for {workload.k} devices, the machine has {machine.k}")
    if len(placement) != workload.dag.n or (len(placement) and not 0 <= placement.min() <= placement.max() < machine.k):
        raise ValueError(f"a placement is one device number in [0, {machine.k}) for each of {workload.dag.n} nodes")
    priority = ORDERS[order](workload, machine) if isinstance(order, str) else order
    placement = np.ascontiguousarray(placement, np.int32)
    return _run(workload, machine, placement, priority, contention == "link", _place(workload, machine, placement))


class _Placed(NamedTuple):
    """What a placement makes of the workload."""

    node_ns: NDArray[np.int64]
    """[n]"""
    ptr: NDArray[np.int64]
    """[n + 1] where the transfers of each node begin, t in all."""
    source: NDArray[np.int32]
    device: NDArray[np.int32]
    nbytes: NDArray[np.int64]
    takes_ns: NDArray[np.int64]
    of_edge: NDArray[np.int32]
    """[m] the transfer of each edge, -1 = none."""
    first_edge: NDArray[np.int32]
    """[n + t] the first reader on the spot of each node, then of each transfer; the others follow in next_edge [m]."""
    next_edge: NDArray[np.int32]


def _place(workload: Workload, machine: Machine, placement: NDArray[np.int32]) -> _Placed:
    dag, n, k, slot = workload.dag, workload.dag.n, machine.k, workload.edge_slot
    seen = np.full((int(slot.max(initial=0)) + 1) * k, -1, np.int32)
    node_ns, ptr, takes_ns = np.empty(n, np.int64), np.empty(n + 1, np.int64), np.empty(dag.m, np.int64)
    of_edge, next_edge, source, device = np.empty((4, dag.m), np.int32)
    first_edge = np.empty(n + dag.m, np.int32)
    count = _engine.place(
        k, placement, workload.time_ns, dag.out_ptr, dag.out_edge, dag.dst, slot, workload.edge_bytes,
        machine.latency_ns.ravel(), machine.bytes_per_s.ravel(), seen, node_ns, ptr,
        of_edge, source, device, takes_ns, first_edge, next_edge,
    )  # fmt: skip
    source, device, takes_ns = source[:count], device[:count], takes_ns[:count]
    nbytes = workload.edge_bytes[first_edge[n : n + count]]
    return _Placed(node_ns, ptr, source, device, nbytes, takes_ns, of_edge, first_edge, next_edge)


def _run(
    workload: Workload,
    machine: Machine,
    placement: NDArray[np.int32],
    priority: Priority,
    contended: bool,
    placed: _Placed,
) -> Schedule:
    dag, n, k, count = workload.dag, workload.dag.n, machine.k, len(placed.source)
    start, finish, ready_key, ready_tie = np.zeros((4, n), np.int64)
    transfer_start, transfer_finish = np.zeros((2, count), np.int64)
    event_key, event_tie = np.empty((2, count + k), np.int64)
    ran = _engine.run(
        k, int(priority.by_arrival), priority.rank, np.diff(dag.in_ptr), placement, placed.node_ns, dag.dst,
        placed.first_edge, placed.next_edge, placed.ptr, placed.device, placed.takes_ns,
        machine.path_ptr if contended else np.zeros_like(machine.path_ptr), machine.path_link,
        np.zeros(len(machine.links), np.int64), np.ones(k, np.bool_),
        event_key, event_tie, np.empty(n + count, np.int64),
        ready_key, ready_tie, _starts(placement, k), np.zeros(k, np.int64),
        start, finish, transfer_start, transfer_finish,
    )  # fmt: skip
    return _ended(workload, placement, placed, ran, start, finish, transfer_start, transfer_finish)


def _ended(
    workload: Workload,
    placement: NDArray[np.int32],
    placed: _Placed,
    ran: int,
    start: NDArray[np.int64],
    finish: NDArray[np.int64],
    transfer_start: NDArray[np.int64],
    transfer_finish: NDArray[np.int64],
) -> Schedule:
    """The schedule of a run in which `ran` nodes ended; CycleError if that is not all of them."""
    if ran < workload.dag.n:
        workload.dag.order  # noqa: B018 - raises CycleError with the cycle
    return Schedule(
        placement, start, finish, placed.of_edge,
        placed.source, placed.device, placed.nbytes, transfer_start, transfer_finish,
    )  # fmt: skip


def _starts(placement: NDArray[np.int32], k: int) -> NDArray[np.int64]:
    """[k] where each device's slice begins if nodes are sorted by device."""
    starts = np.zeros(k, np.int64)
    np.cumsum(np.bincount(placement, minlength=k)[:-1], out=starts[1:])
    return starts
