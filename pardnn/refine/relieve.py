"""Heuristic I of ParDNN: who has to leave a device that holds too much, and where to."""

from __future__ import annotations

import numpy as np

from pardnn.refine.ledger import Ledger
from pardnn.refine.needs import Needs

_MARGIN = 50
_PATIENCE = 3


def relieve(ledger: Ledger, needs: Needs, rounds: int) -> Ledger:
    """The step after moving groups off devices that hold too much; the best one seen if it still overflows.

    [1] Qararyah et al., Parallel Computing 104-105 (2021), doi 10.1016/j.parco.2021.102792: simulate, walk back from
    the end of the step, and wherever a device holds too much let the nodes leave that free enough at the least cost
    (`Ledger.moves`); simulate again. A node moves once. O(rounds * (simulation + (n + m) log m)).
    Differs from [1]:
      - Groups move as one; what a group frees is what its members do. Resident bytes count at every moment.
      - All devices are relieved in one walk, and it is simulated again after the walk, not after each move. As moves
        shift everything that comes later, a device that still holds too much is then relieved by up to a fiftieth of
        its memory more than it takes.
      - Target: of the devices with room for what the group frees, the one it exchanges most with, then the one with
        most room left (on equal cards: the lowest peak). Where none has the room all the time, one that has it at that
        moment will do. Groups bound to a device stay, the host is no target.
      - When none that has not moved is left, all may move once more as long as the last turn lowered the overflow.
    """
    problem, limit = ledger.problem, ledger.problem.machine.memory_bytes
    best, free, before = ledger, needs.free.copy(), ledger.overflow
    missed = 0
    for turn in range(rounds):
        if not best.overflow or missed == _PATIENCE:
            break
        margin = np.minimum(ledger.excess, limit // _MARGIN if turn else 0)
        target = ledger.moves(free, limit - margin)
        moved = target >= 0
        if moved.any():
            free &= ~moved
            place = np.where(moved[problem.group], target[problem.group], ledger.schedule.placement)
            ledger = Ledger.of(problem, problem.simulate(place))
            missed = 0 if ledger.overflow < 0.9 * best.overflow else missed + 1
            best = ledger if ledger.overflow < best.overflow else best
        elif best.overflow < before:
            before, ledger, free = best.overflow, best, needs.free.copy()
        else:
            break
    return best
