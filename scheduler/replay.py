"""Schedules of many placements that differ in little, each simulated from where it differs from a known one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scheduler import _desk, _replay
from scheduler.dag import frozen
from scheduler.levels import bottom_levels
from scheduler.machine import UNLIMITED, Machine
from scheduler.priority import Priority
from scheduler.workload import Workload


class Arena:
    """What the kernels of replays read and write: the world, room for two schedules, room for one run."""

    def __init__(self, workload: Workload, machine: Machine, priority: Priority, contention: str) -> None:
        assert workload.dag.n + workload.dag.m < _desk.WHAT
        slots = int(workload.edge_slot.max(initial=0)) + 1
        self.world = _world(workload, machine, priority, contention)
        self.rows = _rows(workload.dag.n, workload.dag.m)
        self.desk = _room(workload.dag.n, workload.dag.m, machine.k, len(machine.links), slots)

    @property
    def parts(self) -> tuple[_desk.World, _desk.Rows, _desk.Desk]:
        """In the kernels' order."""
        return self.world, self.rows, self.desk


def _world(workload: Workload, machine: Machine, priority: Priority, contention: str) -> _desk.World:
    dag = workload.dag
    paths = machine.path_ptr if contention == "link" else np.zeros_like(machine.path_ptr)
    tail = bottom_levels(dag, workload.time_ns.min(axis=1), np.zeros(dag.m, np.int64))
    return _desk.World(
        int(priority.by_arrival), frozen(priority.rank, np.int64), workload.time_ns,
        dag.out_ptr, dag.out_edge, dag.in_ptr, dag.in_edge, dag.src, dag.dst, workload.edge_slot, workload.edge_bytes,
        frozen(machine.latency_ns.ravel(), np.int64), frozen(machine.bytes_per_s.ravel(), np.int64),
        frozen(paths, np.int64), machine.path_link, frozen(tail, np.int64),
        int((machine.memory_bytes < UNLIMITED).any()), machine.memory_bytes,
        workload.resident_bytes, workload.output_bytes, workload.temp_bytes,
    )  # fmt: skip


def _rows(n: int, m: int) -> _desk.Rows:
    start, finish, ready = np.zeros((3, 2 * n), np.int64)
    begin, arrive = np.zeros((2, 2 * m), np.int64)
    before, carrier, line = np.zeros(2 * n, np.int32), np.zeros(2 * m, np.int32), np.zeros(2 * (n + m), np.int32)
    return _desk.Rows(start, finish, ready, before, carrier, begin, arrive, line, np.zeros(2, np.int64))


def _room(n: int, m: int, k: int, links: int, slots: int) -> _desk.Desk:
    waits, ready_key, ready_tie = np.zeros((3, n), np.int64)
    event_key, event_tie = np.zeros((2, 2 * m + k), np.int64)
    base, size, left, held = np.zeros((4, k), np.int64)
    running, last = np.zeros((2, k), np.int32)
    return _desk.Desk(
        waits, ready_key, ready_tie, base, size, event_key, event_tie, np.zeros(links, np.int64), running, last,
        left, np.full(slots * k, -1, np.int32), held, np.zeros(n + m, np.int64), np.zeros(4, np.int64),
    )  # fmt: skip


@dataclass
class Replay:
    """The schedule of a placement [n], and moves tried from there; the same as `simulate` says.

    A move costs what comes after the first difference, and O(n) of bookkeeping. Raises ValueError where the placement
    does not fit.
    """

    workload: Workload
    machine: Machine
    priority: Priority
    contention: str
    placement: NDArray[np.int32]

    def __post_init__(self) -> None:
        self.placement = self.placement.copy()
        self._arena = Arena(self.workload, self.machine, self.priority, self.contention)
        self._row = -1
        self.makespan_ns = -1
        if not self.move(np.zeros(0, np.int32), 0):
            raise ValueError("the placement exceeds the memory limits")

    def move(self, nodes: NDArray[np.int32], device: int, bound_ns: int = _desk.UNBOUNDED) -> bool:
        """Take the nodes to the device if the step is then no longer than the bound and fits; whether it was done."""
        before = self.placement[nodes]
        if self._row >= 0 and (before == device).all():
            return self.makespan_ns <= bound_ns
        nodes = frozen(nodes, np.int32)
        makespan = int(_replay.replay(nodes, device, self._row, bound_ns, *self._arena.parts, self.placement))
        if makespan < 0:
            self.placement[nodes] = before
            return False
        self._row, self.makespan_ns = 1 - max(self._row, 0), makespan
        return True

    @property
    def start_ns(self) -> NDArray[np.int64]:
        """[n] when each node starts, from the step's start."""
        return np.split(self._arena.rows.start, 2)[self._row]

    @property
    def finish_ns(self) -> NDArray[np.int64]:
        """[n] when each node ends."""
        return np.split(self._arena.rows.finish, 2)[self._row]
