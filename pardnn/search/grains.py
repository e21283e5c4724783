"""From coarse to fine: the walk on smaller problems first, where a move costs little."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pardnn.problem import Placement, Problem
from pardnn.search.coarse import Coarse
from pardnn.search.walk import Walk

_LARGE = 20_000  # nodes; below, the budget is thousands of simulations as it is
_ALIKE = 1.15
"""A smaller problem whose step is longer by more than that, for one placement, says too little about the large one."""


@dataclass(frozen=True)
class Grains:
    """`Walk` on ever less coarse problems made from where the search is, then on the problem itself.

    What a smaller problem leads to counts if the problem itself is faster with it; so it is never worse than its start.
    Small problems, and those with memory limits, which a smaller one knows too little about, are only walked in
    themselves. Complexity as `Walk`.
    """

    budget: int
    enough: Callable[[], bool] = lambda: False
    spend: Callable[[int], None] = lambda nodes: None
    shares: tuple[tuple[int, float], ...] = ((16, 0.25), (6, 0.25), (2, 0.25))
    """One node is made of so many or more at first, with that share of the budget; the problem itself has the rest."""

    def __call__(self, problem: Problem, placement: Placement, rng: np.random.Generator) -> Placement:
        """The fastest placement met at any grain."""
        left, n = self.budget, problem.workload.dag.n
        if n > _LARGE and not problem.limited and problem.gpus > 1:
            best_ns = problem.simulate(placement).makespan_ns
            for size, share in self.shares:
                coarse = Coarse.made(problem, n // size, placement)
                start = coarse.down(placement)
                budget = int(share * self.budget)
                if self.enough() or coarse.problem.simulate(start).makespan_ns > _ALIKE * best_ns:
                    continue
                found = Walk(budget, enough=self.enough, spend=self.spend)(coarse.problem, start, rng)[coarse.of]
                left -= budget
                makespan_ns = problem.simulate(found).makespan_ns
                if makespan_ns < best_ns:
                    placement, best_ns = found, makespan_ns
        return Walk(left, enough=self.enough, spend=self.spend)(problem, placement, rng)
