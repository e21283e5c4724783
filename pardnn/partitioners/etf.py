"""ETF: whichever ready node can start first, where it can."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pardnn.partitioners import _list
from pardnn.problem import Placement, Problem
from pardnn.registry import partitioner


@partitioner("etf", summary="earliest task first: the ready node and GPU with the earliest start")
@dataclass(frozen=True)
class Etf:
    """Of all ready nodes and devices the pair with the earliest start, ties to the larger bottom level.

    Source: [1] Hwang, Chow, Anger, Lee, "Scheduling precedence graphs in systems with interprocessor communication
    times", SIAM J. Comput. 1989, doi 10.1137/0218016. Differs from [1]: two heaps per device instead of a scan of
    all pairs, so O((n k + m) log n); colocation groups follow their first node; where a node takes longer its start
    counts as later by the difference, for [1] knows devices alike only.
    """

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """List scheduling by start."""
        return problem.settle(_list.earliest_start(problem, _list.pins(problem)))
