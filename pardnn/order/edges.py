"""A problem with control edges added to its graph: pairs of ops on one device, of which the second waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pardnn.problem import Problem
from scheduler.dag import Dag

Edges = tuple[tuple[int, int], ...]
"""(first, then) by number of node."""


def with_edges(problem: Problem, edges: Sequence[tuple[int, int]]) -> Problem:
    """The problem in which these edges are the last of its graph; between ops on one device they take no time."""
    if not edges:
        return problem
    workload = problem.workload
    dag, added = workload.dag, np.array(edges, np.int32)
    more = Dag.from_edges(dag.n, np.r_[dag.src, added[:, 0]], np.r_[dag.dst, added[:, 1]])
    sizes = np.r_[workload.edge_bytes, np.zeros(len(added), np.int64)]
    sizes.flags.writeable = False
    return replace(problem, workload=replace(workload, dag=more, edge_bytes=sizes))
