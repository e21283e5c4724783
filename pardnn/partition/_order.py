"""Groups in a row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pardnn.problem import Problem


def group_order(problem: Problem) -> NDArray[np.int64]:
    """[g] the groups by the place of their first member in the topological order. O(n log n)."""
    order = problem.workload.dag.order
    first = np.full(problem.groups, len(order), np.int64)
    np.minimum.at(first, problem.group[order], np.arange(len(order)))
    return np.argsort(first, kind="stable")
