"""Stage I: the graph cut into disjoint paths, the heaviest first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.partitioners.pardnn import _kernels
from pardnn.problem import Problem
from scheduler.levels import bottom_levels, top_levels

_NO_PATH = -(1 << 60)
"""Cost of an edge that no longer exists: less than any path makes up for."""


@dataclass(frozen=True, eq=False)
class Clusters:
    """`node[ptr[c]:ptr[c + 1]]` is path c, head to tail: first one per device (maybe empty), then the secondaries."""

    ptr: NDArray[np.int64]
    node: NDArray[np.int32]
    of: NDArray[np.int32]
    """[n] the path of each node; a node bound to GPU j counts as one of path j, those bound to the host as others."""
    primaries: int

    @property
    def count(self) -> int:
        """Number of paths."""
        return len(self.ptr) - 1


def slice_graph(problem: Problem) -> Clusters:
    """The paths of ParDNN's slicing; weights are worked out anew after each primary, then stay. O(K (n + m) + n log n).

    [1]'s artificial source and sink, which cost nothing and lie on the first path only, need not be there.
    """
    dag, n, primaries = problem.workload.dag, problem.workload.dag.n, problem.gpus
    edge_ns = problem.comm_ns.copy()
    free = problem.pin < 0
    taken = np.zeros(n, np.bool_)
    ptr, node = np.zeros(n + primaries + 1, np.int64), np.empty(n, np.int32)
    top, weight = _weights(problem, edge_ns)
    for j in range(primaries):
        head = _heaviest(free, weight, top)
        _kernels.follow_paths(head, 0, dag.out_ptr, dag.out_edge, dag.dst, weight, top, free, node, ptr, j)
        ptr[j + 1] = max(ptr[j], ptr[j + 1])  # no node was left: an empty path
        taken[node[ptr[j] : ptr[j + 1]]] = True
        edge_ns[taken[dag.src] | taken[dag.dst]] = _NO_PATH
        # Nodes that are gone keep the weight they had: it tells where the paths to come would rather go on.
        for old, new in zip((top, weight), _weights(problem, edge_ns), strict=True):
            np.copyto(old, new, where=~taken)
    left = np.flatnonzero(free)
    heads = left[np.lexsort((left, top[left], -weight[left]))].astype(np.int32)
    count = _kernels.follow_paths(heads, 1, dag.out_ptr, dag.out_edge, dag.dst, weight, top, free, node, ptr, primaries)
    return _clusters(problem, ptr[: count + 1].copy(), node[: ptr[count]].copy())


def _weights(problem: Problem, edge_ns: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(top level, weight) of each node. O(n + m)."""
    top = top_levels(problem.workload.dag, problem.node_ns, edge_ns)
    return top, top + bottom_levels(problem.workload.dag, problem.node_ns, edge_ns)


def _heaviest(free: NDArray[np.bool_], weight: NDArray[np.int64], top: NDArray[np.int64]) -> NDArray[np.int32]:
    """The heaviest free node, of several the one with the smallest top level, then number; none if none is free."""
    node = np.flatnonzero(free)
    for key in (-weight, top):
        node = node[key[node] == key[node].min(initial=np.iinfo(np.int64).max)]
    return node[:1].astype(np.int32)


def _clusters(problem: Problem, ptr: NDArray[np.int64], node: NDArray[np.int32]) -> Clusters:
    count = len(ptr) - 1
    of = np.where(problem.pin < problem.gpus, problem.pin, count + problem.pin).astype(np.int32)
    of[node] = np.repeat(np.arange(count), np.diff(ptr))
    return Clusters(ptr, node, of, problem.gpus)
