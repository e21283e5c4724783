"""The best placement there is, by trying all of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from pardnn.problem import Placement, Problem

MOST = 50_000


def placements(problem: Problem) -> Iterator[Placement]:
    """Every placement that keeps groups whole and pins honoured; O(devices ** groups)."""
    leader = problem.group_node[problem.group_ptr[:-1]]
    choices = [np.flatnonzero(problem.allowed[v]).tolist() for v in leader]
    assert np.prod([len(c) for c in choices]) <= MOST, "too many placements to try"
    for devices in product(*choices):
        yield np.array(devices, np.int32)[problem.group]


def fits(problem: Problem, placement: Placement) -> bool:
    """Whether every device stays within its memory at every moment."""
    peaks = problem.peaks(problem.simulate(placement))
    return bool((peaks <= problem.machine.memory_bytes).all())


def optimum(problem: Problem) -> Placement | None:
    """The placement of the smallest makespan among those that fit, the first one found; None if none fits."""
    best: tuple[int, Placement] | None = None
    for placement in placements(problem):
        makespan = problem.simulate(placement).makespan_ns
        if (best is None or makespan < best[0]) and fits(problem, placement):
            best = makespan, placement
    return best[1] if best else None
