"""Heuristic I of ParDNN: who has to leave a device that holds too much, and where to."""

from __future__ import annotations

import numpy as np

from pardnn.refine.ledger import Ledger
from pardnn.refine.needs import Needs


def relieve(ledger: Ledger, needs: Needs, rounds: int) -> Ledger:
    """The step after moving groups off devices that hold too much; the best one seen if it still overflows.

    [1] Qararyah et al., Parallel Computing 104-105 (2021), doi 10.1016/j.parco.2021.102792: simulate, walk back from the
    end of the step, and wherever a device holds too much let the nodes leave that free enough at the least cost
    (`Ledger.moves`); simulate again. A node moves once. O(rounds * (simulation + (n + m) log m)).
    Differs from [1]:
      - Groups move as one; what a group frees is what its members do. Resident bytes count at every moment.
      - All devices are relieved in one walk, and it is simulated again after the walk, not after each move.
      - Target: of the devices with room for what the group frees, the one it exchanges most with, then the one with
        most room left (on equal cards: the lowest peak). Groups bound to a device stay, the host is no target.
      - When none that has not moved is left, all may move once more as long as the last turn lowered the overflow.
    """
    problem = ledger.problem
    best, free = ledger, needs.free.copy()
    if not ledger.overflow:
        return ledger
    before = ledger.overflow
    for _ in range(rounds):
        target = ledger.moves(needs.resident, free)
        moved = target >= 0
        if moved.any():
            free &= ~moved
            place = ledger.schedule.placement
            place = np.where(moved[problem.group], target[problem.group], place)
            ledger = Ledger.of(problem, problem.simulate(place))
            if ledger.overflow < best.overflow:
                best = ledger
            if not ledger.overflow:
                break
        elif best.overflow < before:
            before, ledger, free = best.overflow, best, needs.free.copy()
        else:
            break
    return best
