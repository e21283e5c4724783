"""Clusters of nodes that move together: heavy edges within a device contracted up to a size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pardnn.problem import Placement, Problem
from scheduler._jit import In32, Out32, Out64, inner_kernel, kernel


def clusters(problem: Problem, placement: Placement, limit_ns: int) -> NDArray[np.int32]:
    """[n] cluster number, dense from 0, in order of each cluster's first node. O(m log m).

    Edges whose ends share a device are contracted, the dearest transfers first, as long as a cluster's work stays
    within limit_ns. Colocation groups are never divided, whatever they weigh; pinned groups stay on their own.
    """
    dag = problem.workload.dag
    work = np.zeros(problem.groups, np.int64)
    np.add.at(work, problem.group, problem.node_ns)
    free = problem.pin < 0
    joined = (placement[dag.src] == placement[dag.dst]) & free[dag.src] & free[dag.dst]
    tail, head = problem.group[dag.src[joined]], problem.group[dag.dst[joined]]
    by_cost = np.argsort(-problem.comm_ns[joined], kind="stable")
    parent = np.arange(problem.groups, dtype=np.int32)
    contract(np.ascontiguousarray(tail[by_cost]), np.ascontiguousarray(head[by_cost]), limit_ns, work, parent)
    root = parent[problem.group]
    _, first, number = np.unique(root, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return rank[number.ravel()]


@inner_kernel
def find(parent: Out32, item: int) -> int:
    """The item's root; halves the path on the way."""
    while parent[item] != item:
        parent[item] = parent[parent[item]]
        item = parent[item]
    return item


@kernel
def contract(tail: In32, head: In32, limit: int, work: Out64, parent: Out32) -> None:
    """Unite tail[e] and head[e] in turn while the united work stays within the limit; `parent` ends flat."""
    for e in range(len(tail)):
        a, b = find(parent, tail[e]), find(parent, head[e])
        if a != b and work[a] + work[b] <= limit:
            if b < a:
                a, b = b, a
            parent[b] = a
            work[a] += work[b]
    for item in range(len(parent)):
        parent[item] = find(parent, item)
