"""Heuristic II A of ParDNN: variables from the fullest to the emptiest device. (B: see `partition.pardnn.chunks`.)"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.problem import Placement, Problem


@dataclass(frozen=True)
class Balance:
    """A placement with memory more evenly spread; promises no limit and looks at no time.

    [1] Qararyah et al., Parallel Computing 104-105 (2021), doi 10.1016/j.parco.2021.102792: residual nodes go from the
    fullest to the emptiest device until for each device K / 2 * (its share of residual memory + its share of normal
    memory) >= 1. O(g log g + moves * k) for g groups.
    Differs from [1]: groups move as one. As the shares of all devices add up to 2, the condition asks for equality, so
    it also ends when no group on the fullest device is small enough to lessen the gap. Of those that are, the largest
    resident goes, ties to the smaller number. Groups bound to a device stay.
    """

    def __call__(self, problem: Problem, placement: Placement, rng: np.random.Generator) -> Placement:
        """Unchanged where there is one device or nothing resident."""
        home = np.zeros(problem.groups, np.int32)
        home[problem.group] = placement
        resident, share = _shares(problem)
        bound = np.zeros(problem.groups, np.bool_)
        bound[problem.group] = problem.pin >= 0
        queue = [_largest_first(resident, (home == d) & ~bound) for d in range(problem.gpus)]
        full = np.zeros(problem.machine.k)
        np.add.at(full, home, share)
        full = full[: problem.gpus]
        while problem.gpus * full.min() / 2 < 1:
            fullest, emptiest = int(full.argmax()), int(full.argmin())
            gap = full[fullest] - full[emptiest]
            small = (g for g in queue[fullest] if share[g] < gap)
            g = next(small, None)
            if g is None:
                break
            queue[fullest].remove(g)  # a group moves once
            home[g] = emptiest
            full[fullest] -= share[g]
            full[emptiest] += share[g]
        return home[problem.group]


def _shares(problem: Problem) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """By group: resident bytes; share of all resident plus share of all other bytes, of what GPUs hold."""
    work, on_gpu = problem.workload, problem.pin < problem.gpus
    resident, normal = np.zeros((2, problem.groups), np.int64)
    np.add.at(resident, problem.group[on_gpu], work.resident_bytes[on_gpu])
    np.add.at(normal, problem.group[on_gpu], (work.output_bytes + work.temp_bytes)[on_gpu])
    return resident, resident / max(1, int(resident.sum())) + normal / max(1, int(normal.sum()))


def _largest_first(resident: NDArray[np.int64], here: NDArray[np.bool_]) -> list[int]:
    groups = np.flatnonzero(here & (resident > 0))
    return [int(g) for g in groups[np.argsort(-resident[groups], kind="stable")]]
