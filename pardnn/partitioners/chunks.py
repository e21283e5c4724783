"""Chunks: a fine cut of the graph, its parts placed one after the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pardnn.partitioners._best import fastest
from pardnn.partitioners._order import regroup
from pardnn.partitioners.frugal import lists
from pardnn.partitioners.metis import cut
from pardnn.problem import Placement, Problem
from pardnn.registry import partitioner


@partitioner("chunks", summary="a fine METIS cut, its parts placed whole by frugal list scheduling")
@dataclass(frozen=True)
class Chunks:
    """The graph cut into several parts per GPU; each part goes whole where frugal list scheduling puts its first node.

    A cut knows nothing of time, list scheduling nothing of what comes later: chunks keep together what talks much, the
    list decides when and where. Complexity as METIS and `frugal`, with two charges.
    """

    per_gpu: int = 8
    charges: tuple[int, ...] = (100, 0)

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """Cut finely, then list scheduling of the parts."""
        parts = min(self.per_gpu * problem.gpus, max(1, problem.groups // 4))
        chunked = regroup(problem, cut(problem, parts, imbalance=300))
        return fastest(problem, lists(chunked, self.charges))
