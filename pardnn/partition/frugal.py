"""Frugal list scheduling: each node where it ends first, transfers charged to whoever causes them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pardnn.partition import _list
from pardnn.problem import Placement, Problem
from pardnn.registry import partitioner


@partitioner(
    "frugal", summary="list scheduling in the mode's own model, each new transfer charged as well as waited for"
)
@dataclass(frozen=True)
class Frugal:
    """The nodes in a row, each on the device where end + charge x new transfers is smallest; the best of several rows.

    A greedy scheduler takes any start a nanosecond earlier and pays with transfers that later ones wait for. Here links
    are booked where the mode has contention, and each transfer costs something even if nobody waits for it: with a small
    charge much is spread, with a large one all stays together. The rows are the topological order (near to first in,
    first out) and the order by bottom level. Every row and charge is simulated; the best one counts, ties to the first.
    O(rows x charges x ((n + m) k + simulation)).
    """

    charges: tuple[int, ...] = (25, 100, 400)
    """Per cent of a transfer's time."""

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """Try all."""
        return best_of(problem, self.charges)


def best_of(problem: Problem, charges: tuple[int, ...]) -> Placement:
    """The fastest of the placements by both rows and all charges, under the problem's mode."""
    contended = problem.contention == "link"
    found: list[tuple[int, Placement]] = []
    for order in (problem.workload.dag.order, _list.by_level(problem)):
        for charge in charges:
            listed = _list.earliest_finish(
                problem, order, _list.pins(problem), gaps=0, charge=charge, contended=contended
            )
            placement = problem.settle(listed)
            found.append((problem.simulate(placement).makespan_ns, placement))
    return min(found, key=lambda pair: pair[0])[1]
