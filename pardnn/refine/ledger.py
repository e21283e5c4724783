"""Who holds which bytes when, in one simulated step, and whom it would help to move."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pardnn.problem import Problem
from pardnn.refine import _fit_kernels
from scheduler.memory import releases
from scheduler.schedule import Schedule

_COST_LIMIT = 1 << 42  # ns; dearer moves all count alike, so that cost * 2**20 is still an int64


@dataclass(frozen=True, eq=False)
class Ledger:
    """All that is held for a while, as p pieces; resident bytes are held from before the step until after it.

    A piece belongs to the group that would free it by leaving the device. While a node runs, its output and scratch are
    its own. Afterwards the output is the last local reader's, if another group has one: should the producer leave, a
    copy would come in its place. A received copy is its last reader's.
    """

    problem: Problem
    schedule: Schedule
    piece: NDArray[np.int64]
    """[p] which: at first n for the nodes while they run, then n outputs, t copies, n residents."""
    device: NDArray[np.int32]
    held_bytes: NDArray[np.int64]
    begin_ns: NDArray[np.int64]
    end_ns: NDArray[np.int64]

    @classmethod
    def of(cls, problem: Problem, schedule: Schedule) -> Ledger:
        """The pieces of one step. O(n + m)."""
        work, place, until = problem.workload, schedule.placement, releases(problem.workload, schedule)
        always = np.full(len(place), -1), np.full(len(place), np.iinfo(np.int64).max // 2)
        start, finish = schedule.start_ns, schedule.finish_ns
        held = np.concatenate(
            [work.output_bytes + work.temp_bytes, work.output_bytes, schedule.transfer_bytes, work.resident_bytes]
        )
        begin = np.concatenate([start, finish, schedule.transfer_start_ns, always[0]])
        end = np.concatenate([finish, *until, always[1]])
        some = np.flatnonzero((held > 0) & (end > begin))
        device = np.concatenate([place, place, schedule.transfer_device, place])
        return cls(problem, schedule, some, device[some], held[some], begin[some], end[some])

    @cached_property
    def owner(self) -> NDArray[np.int32]:
        """[p] the group that would free the piece. O(m log m)."""
        schedule, group, dag = self.schedule, self.problem.group, self.problem.workload.dag
        # Edges by the end of their reader: of several values written to one place the last one stays.
        by_end = np.argsort(schedule.finish_ns[dag.dst], kind="stable")
        reader, transfer = group[dag.dst[by_end]], schedule.edge_transfer[by_end]
        sent, producer = transfer >= 0, dag.src[by_end]
        elsewhere = ~sent & (group[producer] != reader)
        of_output, of_copy = group.copy(), np.empty(len(schedule.transfer_src), np.int32)
        of_output[producer[elsewhere]] = reader[elsewhere]
        of_copy[transfer[sent]] = reader[sent]
        return np.concatenate([group, of_output, of_copy, group])[self.piece]

    @cached_property
    def _events(self) -> NDArray[np.int64]:
        """[2 p] 2 i where piece i ends, 2 i + 1 where it begins, by time, ends first."""
        pieces = len(self.device)
        order = np.argsort(np.concatenate([self.end_ns * 2, self.begin_ns * 2 + 1]), kind="stable")
        events: NDArray[np.int64] = np.where(order < pieces, 2 * order, 2 * (order - pieces) + 1)
        return events

    @cached_property
    def _peaks(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        now, peak = np.zeros((2, self.problem.machine.k), np.int64)
        piece = np.full(self.problem.machine.k, -1)
        _fit_kernels.find_peaks(self._events, self.device, self.held_bytes, now, peak, piece)
        return peak, piece

    @property
    def peaks(self) -> NDArray[np.int64]:
        """[k] the most bytes each device holds at any moment: what `problem.peaks` says."""
        return self._peaks[0]

    @cached_property
    def excess(self) -> NDArray[np.int64]:
        """[k] bytes over each device's limit."""
        excess: NDArray[np.int64] = np.maximum(self.peaks - self.problem.machine.memory_bytes, 0)
        return excess

    @cached_property
    def overflow(self) -> int:
        """Bytes over the limits, all devices together."""
        return int(self.excess.sum())

    @property
    def makespan_ns(self) -> int:
        """Of the schedule."""
        return self.schedule.makespan_ns

    def peak_node(self, device: int) -> int:
        """The node on a device that runs, or ran last, when the device's peak is reached; -1 if it is empty."""
        here = np.flatnonzero(self.schedule.placement == device)
        piece = self._peaks[1][device]
        moment = max(0, self.begin_ns[piece]) if piece >= 0 else 0
        started = here[self.schedule.start_ns[here] <= moment]
        if not len(started):
            return int(here[0]) if len(here) else -1
        return int(started[np.argmax(self.schedule.start_ns[started])])

    def moves(self, movable: NDArray[np.bool_], limit_bytes: NDArray[np.int64]) -> NDArray[np.int32]:
        """[g] where each group should go to keep the limits [k], negative = it stays. O((p + m) log p).

        movable [g]: whether it may.
        """
        problem, k = self.problem, self.problem.machine.k
        home = np.zeros(problem.groups, np.int32)
        home[problem.group] = self.schedule.placement
        pieces = np.bincount(self.device, minlength=k)
        heaps = [np.empty(len(self.device), np.int64) for _ in range(4)]
        target = np.where(movable, -1, -3).astype(np.int32)
        _fit_kernels.choose_moves(
            problem.gpus, self._events, self.device, self.owner, self.held_bytes, limit_bytes,
            home, self._costs(), np.zeros(k, np.int64), limit_bytes - self.peaks,
            np.zeros(problem.groups, np.int64), *problem.neighbours, np.zeros(k, np.int64),
            np.cumsum(pieces) - pieces, *heaps, np.zeros(2 * k, np.int64), target,
        )  # fmt: skip
        return target

    def _costs(self) -> NDArray[np.int64]:
        """[g] move cost: the group's work and the transfers with its neighbours on the same device."""
        problem, dag, place = self.problem, self.problem.workload.dag, self.schedule.placement
        cost = np.zeros(problem.groups, np.int64)
        np.add.at(cost, problem.group, problem.node_ns)
        ends = problem.group[dag.src], problem.group[dag.dst]
        near = (place[dag.src] == place[dag.dst]) & (ends[0] != ends[1])
        for end in ends:
            np.add.at(cost, end[near], problem.comm_ns[near])
        return np.minimum(cost, _COST_LIMIT)
