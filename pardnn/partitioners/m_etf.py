"""m-ETF: earliest task first where each device has so much memory and no more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pardnn.partitioners import _list
from pardnn.partitioners._memory import permanent
from pardnn.problem import Placement, Problem
from pardnn.registry import partitioner


@partitioner("m-etf", summary="ETF that counts what a step holds as held to its end", start=False)
@dataclass(frozen=True)
class MemoryEtf:
    """ETF over the devices that still have room for a node's residents and output, as if nothing were ever freed.

    Without memory limits it is `etf`. Source: [1] Jeon, Cai, Srivastava, Jiang, Ke, Meng, Xie, Gupta, "Baechi: fast
    device placement of machine learning graphs", SoCC 2020, doi 10.1145/3419111.3421302. Differs from [1]: a node that
    fits nowhere goes where most room is left instead of ending the search. O((n k + m) log n).
    """

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """List scheduling by start."""
        return problem.settle(_list.earliest_start(problem, _list.pins(problem), permanent(problem)))
