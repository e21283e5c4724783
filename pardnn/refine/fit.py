"""Make it fit: Heuristic I of ParDNN, from the start it is given and, where that leads nowhere good, from others."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

import numpy as np

from pardnn.problem import Placement, Problem
from pardnn.refine.by_memory import memory_first
from pardnn.refine.descend import descend
from pardnn.refine.ledger import Ledger
from pardnn.refine.needs import Needs, refuse_impossible, shortage
from pardnn.refine.relieve import relieve


@dataclass(frozen=True)
class Fit:
    """A placement that keeps every device within its memory at every moment of the step, as simulated.

    Unchanged if the start fits. Otherwise Heuristic I (`relieve`) from the start. If that fails or makes the step
    longer by more than `tolerance`, also the heuristic from placements made for memory alone (`memory_first`); the
    fastest that fits counts. If none does, single moves and swaps that lower the overflow, judged by the simulator
    (`descend`). Raises DoesNotFit, at once where no placement can fit, else when all that has failed.
    """

    tolerance: float = 0.1
    rounds: int = 15
    """Simulations per start."""
    starts: int = 400_000
    """So many divided by the number of nodes, and at least one, memory-first starts are made."""
    corrections: int = 5
    """Of each memory-first start; on large graphs no more than starts, once a placement that fits is known."""
    trials: int = 10_000
    """Simulations of the last resort: so many divided by the number of nodes, and `rounds` more."""

    def __call__(self, problem: Problem, placement: Placement, rng: np.random.Generator) -> Placement:
        """A placement within the limits."""
        if not problem.limited:
            return placement
        start = Ledger.of(problem, problem.simulate(placement))
        if not start.overflow:
            return placement
        needs = Needs.of(problem)
        refuse_impossible(problem, needs)
        best = relieve(start, needs, self.rounds)
        if best.overflow or best.makespan_ns > (1 + self.tolerance) * start.makespan_ns:
            best = self._anew(start, needs, best)
        if best.overflow:
            best = descend(best, needs, self.rounds + self.trials // problem.workload.dag.n, rng)
        if best.overflow:
            raise shortage(best)
        return best.schedule.placement

    def _anew(self, given: Ledger, needs: Needs, best: Ledger) -> Ledger:
        """The best of this and all other starts: the least overflow, then the shortest step, then the first."""
        problem = given.problem
        most = self.starts // problem.workload.dag.n
        corrections = self.corrections if best.overflow else min(self.corrections, most)
        starts = memory_first(problem, needs, given.schedule.placement, corrections)
        for start in islice(starts, max(1, most)):
            if best.overflow or start.makespan_ns < best.makespan_ns:
                best = min(best, relieve(start, needs, self.rounds), key=lambda x: (x.overflow, x.makespan_ns))
        return best
