"""The best of several placements."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pardnn.problem import Placement, Problem


def fastest(problem: Problem, placements: Iterable[Placement]) -> Placement:
    """The settled placement with the shortest step in the problem's mode; ties to the first."""
    best, best_ns = np.zeros(0, np.int32), -1
    for placement in placements:
        settled = problem.settle(placement)
        makespan_ns = problem.simulate(settled).makespan_ns
        if best_ns < 0 or makespan_ns < best_ns:
            best, best_ns = settled, makespan_ns
    assert best_ns >= 0, "nothing to choose from"
    return best
