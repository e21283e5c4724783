"""One step cut at the moment when it holds most: what is kept from its first half for the second."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.problem import Placement, Problem
from scheduler.memory import changes


@dataclass(frozen=True, eq=False)
class Halves:
    """In a training step the first half is, by and large, the forward pass. Columns over the n ops."""

    problem: Problem
    order: NDArray[np.int64]
    """[n] the ops in the order in which they start, a topological one."""
    place: NDArray[np.int64]
    """[n] where each op stands in it."""
    start_ns: NDArray[np.int64]
    finish_ns: NDArray[np.int64]
    turn: int
    """So many of the order belong to the first half."""
    kept: NDArray[np.int64]
    """Ops of the first half, in order, whose output is read in the second; those bound to the host left out."""

    @classmethod
    def of(cls, problem: Problem, placement: Placement) -> Halves:
        """The step under a placement, whatever the memories; all GPUs together hold most at the turn. O(m log m)."""
        schedule, dag = problem.simulate(placement), problem.workload.dag
        rank = np.empty(dag.n, np.int64)
        rank[dag.order] = np.arange(dag.n)
        order = np.lexsort((rank, schedule.finish_ns, schedule.start_ns))
        place = np.empty(dag.n, np.int64)
        place[order] = np.arange(dag.n)
        device, when, change = changes(problem.workload, schedule)
        on_gpu = device < problem.gpus
        by_time = np.lexsort((change[on_gpu], when[on_gpu]))  # within a moment releases come first
        held = np.cumsum(change[on_gpu][by_time])
        moment = int(when[on_gpu][by_time][np.argmax(held)]) if len(held) else -1
        turn = int((schedule.start_ns <= moment).sum())
        across = (place[dag.src] < turn) & (place[dag.dst] >= turn)
        kept = np.unique(dag.src[across])
        free = (problem.pin[kept] < problem.gpus) & (problem.workload.output_bytes[kept] > 0)
        ends: NDArray[np.int64] = kept[free].astype(np.int64)
        return cls(problem, order, place, schedule.start_ns, schedule.finish_ns, turn, ends[np.argsort(place[ends])])

    def late(self, v: int) -> bool:
        """Whether an op belongs to the second half."""
        return bool(self.place[v] >= self.turn)

    def late_edges(self, v: int) -> list[int]:
        """The edges over which the second half reads, or waits for, an op."""
        dag = self.problem.workload.dag
        out = dag.out_edge[dag.out_ptr[v] : dag.out_ptr[v + 1]]
        return [e for e in out.tolist() if self.late(int(dag.dst[e]))]

    def first(self, ops: Iterable[int]) -> int:
        """The one of these ops that starts first."""
        return min(ops, key=lambda v: int(self.place[v]))

    def before(self, reader: int, lead_ns: int = 0) -> int:
        """What a second-half op waits for, and so on back, until it starts so long before: never behind the reader.

        Where nothing of the second half is waited for, what runs just before the reader.
        """
        dag, at = self.problem.workload.dag, reader
        while True:
            sources = dag.src[dag.in_edge[dag.in_ptr[at] : dag.in_ptr[at + 1]]].tolist()
            late = [u for u in sources if self.late(u)]
            if not late:
                break
            at = max(late, key=lambda u: (int(self.finish_ns[u]), int(self.place[u])))
            if self.start_ns[at] <= self.start_ns[reader] - lead_ns:
                break
        return at if at != reader else int(self.order[max(0, self.place[reader] - 1)])
