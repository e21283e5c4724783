"""One group of nodes to each device in turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.partitioners._order import group_order
from pardnn.partitioners._speed import speeds
from pardnn.problem import Placement, Problem
from pardnn.registry import partitioner


@partitioner("round-robin", summary="groups in topological order, one to each GPU in turn")
@dataclass(frozen=True)
class RoundRobin:
    """Group i, in topological order of first members, on GPU i mod k: balanced in number, blind to transfers.

    A GPU that is twice as fast has two turns where the others have one, evenly spread. The yardstick from below.
    O(n k log n).
    """

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """Count through the groups."""
        device = np.empty(problem.groups, np.int32)
        device[group_order(problem)] = turns(speeds(problem), problem.groups)
        return problem.settle(device[problem.group])


def turns(speed: NDArray[np.float64], count: int) -> NDArray[np.int32]:
    """[count] whose turn it is: each GPU's turns are 1 / speed apart, the first half of that from the begin."""
    moment = (np.arange(count) + 0.5)[:, None] / speed
    first: NDArray[np.int32] = (np.argsort(moment, axis=None, kind="stable")[:count] % len(speed)).astype(np.int32)
    return first
