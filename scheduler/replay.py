"""Schedules of many placements that differ in little: each is simulated from where it first differs from a known one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scheduler import _replay
from scheduler.dag import frozen
from scheduler.levels import bottom_levels
from scheduler.machine import UNLIMITED, Machine
from scheduler.priority import Priority
from scheduler.workload import Workload

_ENDLESS = 1 << 62


def world(workload: Workload, machine: Machine, priority: Priority, contention: str, choose: int) -> _replay.World:
    """What the kernels simulate; the first `choose` devices are those a free node may be on. O(n + m)."""
    dag = workload.dag
    fastest = workload.time_ns.min(axis=1)
    paths = machine.path_ptr if contention == "link" else np.zeros_like(machine.path_ptr)
    return _replay.World(
        int(priority.by_arrival), frozen(priority.rank, np.int64), workload.time_ns,
        dag.out_ptr, dag.out_edge, dag.in_ptr, dag.in_edge, dag.src, dag.dst, workload.edge_slot, workload.edge_bytes,
        frozen(machine.latency_ns.ravel(), np.int64), frozen(machine.bytes_per_s.ravel(), np.int64),
        frozen(paths, np.int64), machine.path_link,
        frozen(bottom_levels(dag, fastest, np.zeros(dag.m, np.int64)), np.int64),
        int((machine.memory_bytes < UNLIMITED).any()), machine.memory_bytes,
        workload.resident_bytes, workload.output_bytes, workload.temp_bytes,
    )  # fmt: skip


def rows(n: int, m: int) -> _replay.Rows:
    """Two empty schedules."""
    start, finish, ready = np.zeros((3, 2 * n), np.int64)
    begin, arrive = np.zeros((2, 2 * m), np.int64)
    before, carrier, line = np.zeros(2 * n, np.int32), np.zeros(2 * m, np.int32), np.zeros(2 * (n + m), np.int32)
    return _replay.Rows(start, finish, ready, before, carrier, begin, arrive, line, np.zeros(2, np.int64))


def desk(n: int, m: int, k: int, links: int, slots: int) -> _replay.Desk:
    """Room for one run."""
    ready_key, ready_tie, waits = np.zeros((3, n), np.int64)
    event_key, event_tie = np.zeros((2, 2 * m + k), np.int64)
    base, size, left, held = np.zeros((4, k), np.int64)
    running, last = np.zeros((2, k), np.int32)
    return _replay.Desk(
        waits, ready_key, ready_tie, base, size, event_key, event_tie, np.zeros(links, np.int64), running, last,
        left, np.full(slots * k, -1, np.int32), held, np.zeros(n + m, np.int64), np.zeros(3, np.int64),
    )  # fmt: skip


@dataclass
class Replay:
    """The schedule of a placement, and that of others tried in its place; n nodes.

    The same as `simulate` says, with the memory limits kept or refused. O(what comes after the first difference, and
    n + m operations of bookkeeping).
    """

    workload: Workload
    machine: Machine
    priority: Priority
    contention: str
    placement: NDArray[np.int32]

    def __post_init__(self) -> None:
        n, m, k = self.workload.dag.n, self.workload.dag.m, self.machine.k
        assert n + m < _replay.WHAT
        self.placement = self.placement.copy()
        self.world = world(self.workload, self.machine, self.priority, self.contention, k)
        self.rows = rows(n, m)
        slots = int(self.workload.edge_slot.max(initial=0)) + 1
        self.desk = desk(n, m, k, len(self.machine.links), slots)
        self.known = 1
        self.makespan_ns = self._run(0, _ENDLESS)

    def move(self, nodes: NDArray[np.int32], device: int, bound_ns: int = _ENDLESS - 1) -> bool:
        """Take the nodes to the device if the step is then no longer than the bound and fits; whether it was done."""
        moment = _replay.earliest_difference(
            nodes, device, self.known, self.world, self.rows, frozen(self.placement, np.int32)
        )
        before = self.placement[nodes]
        self.placement[nodes] = device
        makespan = self._run(moment, bound_ns)
        if makespan < 0:
            self.placement[nodes] = before
            return False
        self.makespan_ns = makespan
        return True

    def _run(self, moment: int, bound_ns: int) -> int:
        row = 1 - self.known
        place = frozen(self.placement, np.int32)
        makespan = int(_replay.replay(self.known, row, moment, bound_ns, self.world, self.rows, self.desk, place))
        if makespan >= 0:
            self.known = row
        return makespan

    @property
    def start_ns(self) -> NDArray[np.int64]:
        """[n]"""
        n = self.workload.dag.n
        return self.rows.start[self.known * n :][:n]

    @property
    def finish_ns(self) -> NDArray[np.int64]:
        """[n]"""
        n = self.workload.dag.n
        return self.rows.finish[self.known * n :][:n]
