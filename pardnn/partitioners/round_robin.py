"""One group of nodes to each device in turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pardnn.partitioners._order import group_order
from pardnn.problem import Placement, Problem
from pardnn.registry import partitioner


@partitioner("round-robin", summary="groups in topological order, one to each GPU in turn")
@dataclass(frozen=True)
class RoundRobin:
    """Group i, in topological order of first members, on GPU i mod k: balanced in number, blind to time and transfers.

    The yardstick from below. O(n log n).
    """

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """Count through the groups."""
        device = np.empty(problem.groups, np.int32)
        device[group_order(problem)] = np.arange(problem.groups) % problem.gpus
        return problem.settle(device[problem.group])
