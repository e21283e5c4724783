"""HEFT: the most urgent node first, each where it ends earliest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pardnn.partitioners import _list
from pardnn.problem import Placement, Problem
from pardnn.registry import partitioner


@partitioner("heft", summary="heterogeneous earliest finish time: by upward rank, into idle intervals")
@dataclass(frozen=True)
class Heft:
    """Nodes by falling upward rank (bottom level with mean times), each on the device that would finish it first.

    Source: [1] Topcuoglu, Hariri, Wu, "Performance-effective and low-complexity task scheduling for heterogeneous
    computing", IEEE TPDS 2002, doi 10.1109/71.993206. Differs from [1]: colocation groups follow their first node; of
    the idle intervals of a device only the last 1,024 are remembered, which makes it O((n + m) k) and not O(n^2 k).
    """

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """List scheduling by bottom level."""
        return problem.settle(_list.earliest_finish(problem, _list.by_level(problem), _list.pins(problem)))
