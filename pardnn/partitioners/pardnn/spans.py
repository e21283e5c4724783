"""Stage II, what is known before mapping: when each secondary could run, and what load the devices have then."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.partitioners.pardnn.slicing import Clusters
from pardnn.problem import Problem
from scheduler.levels import bottom_levels, top_levels


@dataclass(frozen=True, eq=False)
class Timeline:
    """The clock of the mapping: distinct top levels, numbered in order; a span is a half-open interval of these ranks.

    Levels are taken once more, now without the transfers inside clusters.
    """

    rank: NDArray[np.int32]
    """[n] rank of each node's top level."""
    ranks: int
    begin_ns: NDArray[np.int64]
    """[c] of each secondary's span; of no use for primaries."""
    end_ns: NDArray[np.int64]
    begin: NDArray[np.int64]
    """[c] the same as ranks."""
    end: NDArray[np.int64]
    criticality: NDArray[np.int64]
    """[c] largest weight of the cluster's nodes."""

    @classmethod
    def of(cls, problem: Problem, clusters: Clusters) -> Timeline:
        """Levels, spans and criticalities. O(m + n log n)."""
        dag, node_ns = problem.workload.dag, problem.node_ns
        edge_ns = np.where(clusters.of[dag.src] == clusters.of[dag.dst], 0, problem.comm_ns)
        top = top_levels(dag, node_ns, edge_ns)
        weight = top + bottom_levels(dag, node_ns, edge_ns)
        criticality = np.zeros(clusters.count, np.int64)
        np.maximum.at(criticality, clusters.of[clusters.node], weight[clusters.node])
        begin_ns, end_ns = _spans(problem, clusters, top)
        levels, rank = np.unique(top, return_inverse=True)
        begin, end = np.searchsorted(levels, begin_ns), np.searchsorted(levels, end_ns)
        return cls(rank.astype(np.int32), len(levels), begin_ns, end_ns, begin, end, criticality)

    def plant(self, slot: NDArray[np.int32], slots: int, node_ns: NDArray[np.int64]) -> NDArray[np.int64]:
        """[(ranks + 1) * slots] Fenwick trees over the ranks, one for each slot, interleaved: a walk serves them all.

        slot [n]: the tree in which a node's time counts; slots from `slots` on count in none. O(n + ranks * slots).
        """
        cells = np.zeros((self.ranks + 1, slots), np.int64)
        counted = slot < slots
        np.add.at(cells, (self.rank[counted] + 1, slot[counted]), node_ns[counted])
        step = 1
        while step < len(cells):  # a cell's value goes to the next one that covers it, smallest ranges first
            above = cells[2 * step :: 2 * step]
            above += cells[step :: 2 * step][: len(above)]
            step *= 2
        return cells.ravel()


def _spans(problem: Problem, clusters: Clusters, top: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """[c] when each cluster can begin and when it must have ended."""
    dag, node, of, count = problem.workload.dag, clusters.node, clusters.of, clusters.count
    finish = top + problem.node_ns
    done = np.concatenate([[0], np.cumsum(problem.node_ns[node])])
    before = np.zeros(dag.n, np.int64)  # the path's own work in front of each node
    before[node] = done[:-1] - np.repeat(done[clusters.ptr[:-1]], np.diff(clusters.ptr))
    enters = np.flatnonzero((of[dag.src] != of[dag.dst]) & (of[dag.dst] < count))
    begin = np.zeros(count, np.int64)
    source, target = dag.src[enters], dag.dst[enters]
    np.maximum.at(begin, of[target], finish[source] - before[target])
    tails = np.zeros(dag.n, np.bool_)
    tails[node[clusters.ptr[1:][np.diff(clusters.ptr) > 0] - 1]] = True
    leaves = np.flatnonzero(tails[dag.src])
    end = np.full(count, finish.max(initial=0))
    np.minimum.at(end, of[dag.src[leaves]], top[dag.dst[leaves]])
    return begin, np.maximum(begin, end)
