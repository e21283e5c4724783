"""Frugal list scheduling: each node where it ends first, transfers charged to whoever causes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pardnn.partitioners import _list
from pardnn.partitioners._best import fastest
from pardnn.problem import Placement, Problem
from pardnn.registry import partitioner

STEPS = 20_000_000
"""Inputs looked at, over all charges and devices: about a second."""


@partitioner("frugal", summary="list scheduling in the mode's own model, transfers charged too")
@dataclass(frozen=True)
class Frugal:
    """The nodes in a row, each on the device where end + charge x new transfers is smallest; the best of several rows.

    A greedy scheduler takes any start a nanosecond earlier and pays with transfers that later ones wait for. Here links
    are booked where the mode has contention, and each transfer costs something even if nobody waits for it: a small
    charge spreads, a large one keeps together. The rows are the topological order (near to first in, first out) and the
    order by bottom level. Each row with each charge is simulated and the fastest counts, ties to the first tried.
    O(charges * ((n + m) k + simulation)).
    """

    charges: tuple[int, ...] = (100, 25, 400)
    """Per cent of a transfer's time, the most useful first."""

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """Try all."""
        return fastest(problem, lists(problem, self.charges))


def lists(problem: Problem, charges: tuple[int, ...]) -> Iterator[Placement]:
    """A placement for each row and charge; on large graphs for the first charges only."""
    contended = problem.contention == "link"
    size = (problem.workload.dag.n + problem.workload.dag.m) * problem.machine.k
    charges = charges[: max(1, STEPS // size)] if size else charges
    for order in (problem.workload.dag.order, _list.by_level(problem)):
        for charge in charges:
            decided = _list.pins(problem)
            yield _list.earliest_finish(problem, order, decided, gaps=0, charge=charge, contended=contended)
