"""The last resort: single moves and swaps, each judged by the simulator."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pardnn.problem import Placement
from pardnn.refine.ledger import Ledger
from pardnn.refine.needs import Needs


def descend(ledger: Ledger, needs: Needs, trials: int, rng: np.random.Generator) -> Ledger:
    """The step with the least overflow found in so many simulations, the first without any ends the search.

    From the fullest device a group goes to another one, or changes places with one there, whenever that lowers the
    overflow; when nothing does, a few groups are moved at random and it goes on from there.
    """
    problem, best = ledger.problem, ledger
    here = ledger
    while trials > 0:
        for placement in _neighbours(here, needs, rng):
            if trials <= 0:
                break
            trials -= 1
            found = Ledger.of(problem, problem.simulate(placement))
            if found.overflow < here.overflow:
                here = found
                break
        else:
            here = Ledger.of(problem, problem.simulate(_shaken(best.schedule.placement, best, needs, rng)))
            trials -= 1
        if here.overflow < best.overflow:
            best = here
        if not best.overflow:
            break
    return best


def _neighbours(ledger: Ledger, needs: Needs, rng: np.random.Generator) -> Iterator[Placement]:
    """Placements one move or one swap away, in random order, moves first."""
    problem, place = ledger.problem, ledger.schedule.placement
    home = np.zeros(problem.groups, np.int32)
    home[problem.group] = place
    full = int(np.argmax((ledger.peaks - problem.machine.memory_bytes)[: problem.gpus]))
    there = rng.permutation(np.flatnonzero(needs.free & (home == full)))
    others = rng.permutation(np.flatnonzero(needs.free & (home != full)))
    for g in there.tolist():
        for d in range(problem.gpus):
            if d != full:
                yield np.where(problem.group == g, d, place).astype(np.int32)
    for g in there.tolist():
        for h in others.tolist():
            swapped = np.where(problem.group == g, home[h], place)
            yield np.where(problem.group == h, full, swapped).astype(np.int32)


def _shaken(place: Placement, ledger: Ledger, needs: Needs, rng: np.random.Generator) -> Placement:
    """Each free group with a chance of one in four on a random device."""
    problem = ledger.problem
    chosen = needs.free & (rng.random(problem.groups) < 0.25)
    device = rng.integers(0, problem.gpus, problem.groups)
    return np.where(chosen[problem.group], device[problem.group], place).astype(np.int32)
