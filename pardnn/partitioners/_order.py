"""Groups in a row, and other groups in their place."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pardnn.problem import Problem


def group_order(problem: Problem) -> NDArray[np.int64]:
    """[g] the groups by the place of their first member in the topological order. O(n log n)."""
    order = problem.workload.dag.order
    first = np.full(problem.groups, len(order), np.int64)
    np.minimum.at(first, problem.group[order], np.arange(len(order)))
    return np.argsort(first, kind="stable")


def regroup(problem: Problem, cluster: NDArray[np.int32]) -> Problem:
    """The problem with the clusters [n] as its groups; pinned groups are kept apart from them. O(n log n)."""
    apart = int(cluster.max(initial=0)) + 1 + problem.group.astype(np.int64)
    _, group = np.unique(np.where(problem.pin < 0, cluster, apart), return_inverse=True)
    return replace(problem, group=group.astype(np.int32))
