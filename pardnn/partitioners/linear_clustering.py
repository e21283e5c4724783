"""Linear clustering: the heaviest path again and again, each a cluster that stays on one device."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.partitioners import _list
from pardnn.partitioners._best import fastest
from pardnn.partitioners._memory import by_group
from pardnn.partitioners._order import regroup
from pardnn.partitioners._speed import heaviest_on_fastest
from pardnn.problem import Placement, Problem
from pardnn.registry import partitioner
from scheduler._jit import In32, In64, Out32, kernel
from scheduler.levels import bottom_levels, top_levels

CUT = -(2**60)
"""Added to an edge, it takes the edge off every longest path."""
STEPS = 20_000_000
"""Edges looked at to keep the levels fresh; with more, paths are taken from levels that are a little old."""


@partitioner("linear-clustering", summary="heaviest paths as clusters, placed whole")
@dataclass(frozen=True)
class LinearClustering:
    """Clusters are heaviest paths, transfers counted, of what earlier ones left; each goes whole to one device.

    Source: [1] Kim, Browne, "A general approach to mapping of parallel computation upon multiprocessor architectures",
    ICPP 1988. Differs from [1], which leaves the mapping onto a given number of devices open: the faster of two,
    clusters merged by work (the heaviest first, each to the device with least) and clusters placed like single nodes,
    by falling bottom level where their first node ends first. Levels are computed anew for every path while that costs
    no more than a second or so, else for every so many nodes. O((n + m) log n + k n), or STEPS if that is more.
    """

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """Peel, then map the clusters both ways."""
        clustered = regroup(problem, linear_clusters(problem))
        contended = problem.contention == "link"
        scheduled = _list.earliest_finish(
            clustered, _list.by_level(problem), _list.pins(clustered), contended=contended
        )
        return fastest(problem, (heaviest_on_fastest(problem, merged(clustered)), scheduled))


def merged(clustered: Problem) -> Placement:
    """[n] each group, from the one with most work on, to the GPU with least; ties to the smaller numbers."""
    work = by_group(clustered, np.where(clustered.pin < 0, clustered.node_ns, 0))
    device = np.zeros(clustered.groups, np.int32)
    loads = [(0, d) for d in range(clustered.gpus)]
    for group in np.argsort(-work, kind="stable").tolist():
        load, device[group] = loads[0]
        heapq.heapreplace(loads, (load + int(work[group]), int(device[group])))
    return clustered.settle(device[clustered.group])


def linear_clusters(problem: Problem) -> NDArray[np.int32]:
    """[n] number of each node's cluster, the heaviest path first; no pinned node is in another one's cluster."""
    dag, node_ns = problem.workload.dag, problem.node_ns
    cluster = np.full(dag.n, -1, np.int32)
    pinned = np.flatnonzero(problem.pin >= 0)
    cluster[pinned] = np.arange(len(pinned))
    count, size = len(pinned), dag.n + dag.m
    share = min(0.5, size * math.log(size + 1) / STEPS)
    while left := int((cluster < 0).sum()):
        taken = (cluster[dag.src] >= 0) | (cluster[dag.dst] >= 0)
        edge_ns = np.where(taken, CUT, problem.comm_ns)
        top, bottom = top_levels(dag, node_ns, edge_ns), bottom_levels(dag, node_ns, edge_ns)
        start = np.lexsort((top, -(top + bottom))).astype(np.int32)
        count = peel(
            start, dag.out_ptr, dag.out_edge, dag.dst, bottom, edge_ns, count, math.ceil(left * share), cluster
        )
    return cluster


@kernel
def peel(
    start: In32, out_ptr: In64, out_edge: In32, dst: In32, bottom: In64, edge_ns: In64, count: int, quota: int,
    cluster: Out32,
) -> int:  # fmt: skip
    """Number the heaviest paths of free nodes from `count` on until `quota` nodes have one; returns the next number."""
    for at in range(len(start)):
        v = start[at]
        if cluster[v] >= 0:
            continue
        if quota <= 0:
            break
        while v >= 0:
            cluster[v] = count
            quota -= 1
            heaviest, next_node = -1, -1
            for i in range(out_ptr[v], out_ptr[v + 1]):
                e = out_edge[i]
                if cluster[dst[e]] < 0 and edge_ns[e] + bottom[dst[e]] > heaviest:
                    heaviest, next_node = edge_ns[e] + bottom[dst[e]], dst[e]
            v = next_node
        count += 1
    return count
