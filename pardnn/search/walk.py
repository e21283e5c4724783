"""Make it faster: a walk from placement to placement, each judged by the simulator itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pardnn.problem import Placement, Problem
from pardnn.search import _moves, _walk
from pardnn.search.clusters import clusters
from scheduler.dag import frozen, rows
from scheduler.replay import Arena

_BATCH = 2_000_000
"""Divided by the nodes: so many moves are tried with one set of clusters, and between two looks at the clock."""
_STEPS = 80
"""So many times the mean slack lie between the start and the lower bound at least."""
_THOROUGH = 3000
"""Simulations for which the full heat pays; with fewer it is colder from the start."""


@dataclass(frozen=True)
class Walk:
    """Simulated annealing over moves of many sizes, never worse than its start, within the limits if that is.

    A move takes a region of groups, grown from a seed over its dearest edges, or a cluster to another device; now and
    then another region comes in return. Most seeds lie on the critical chain of the schedule: an end of a transfer that
    was waited for goes to the other end's device, a node in the way to another one. Sizes are drawn, from one group to
    half of all, large and small alike often. A move is taken if the step gets no longer than before plus a random
    slack, whose mean falls from `heat`, a share of the step, to `cooling` times that. Each is simulated from where it
    first matters, and no further than to where the slack is used up; `budget` bounds the nodes simulated.
    Nothing is tried any more once the step is as short as the problem's lower bound; `enough` is asked now and then
    whether to stop early. O(budget (log n + edges per node)).
    """

    budget: int = 1_000_000
    heat: float = 1e-3
    cooling: float = 0.03
    grains: int = 6
    """Clusters are drawn with 1/2, 1/4, ... 1/2^(2 grains - 1) of all work."""
    enough: Callable[[], bool] = lambda: False
    spend: Callable[[int], None] = lambda nodes: None
    """Hears how many nodes were simulated."""

    def __call__(self, problem: Problem, placement: Placement, rng: np.random.Generator) -> Placement:
        """The best placement met."""
        n, groups = problem.workload.dag.n, _groups(problem)
        if problem.gpus < 2 or not len(groups.free):
            return placement
        arena = Arena(problem.workload, problem.machine, problem.priority, problem.contention)
        path = _path(placement, problem.groups)
        spent = 0
        least = int(problem.groups * n // self.budget)
        moves = max(32, min(1024, _BATCH // n))
        best_ns, bound_ns = problem.simulate(placement).makespan_ns, problem.lower_bound_ns
        heat = min(self.heat * min(1.0, self.budget / (_THOROUGH * n)), (best_ns - bound_ns) / max(1, best_ns) / _STEPS)
        while 0 <= spent < self.budget and best_ns > bound_ns and not self.enough():
            slack_ns = best_ns * heat * self.cooling ** (spent / self.budget)
            limit_ns = int(problem.node_ns.sum()) >> int(rng.integers(1, 2 * self.grains))
            world = (*arena.parts, _clusters(problem, path.place, limit_ns), groups, path)
            draws = frozen(rng.integers(0, _moves.LARGEST_DRAW, moves * _moves.DRAWS), np.int64)
            before = spent
            spent = _walk.walk(moves, problem.gpus, least, slack_ns, self.budget, draws, *world)
            best_ns = int(path.known[3])
            self.spend((spent if spent >= 0 else self.budget) - before)
        return path.best


def _groups(problem: Problem) -> _moves.Groups:
    """The groups of a problem as the kernels read them."""
    ptr, near, ns = problem.neighbours
    by_cost = np.lexsort((near, -ns, np.repeat(np.arange(problem.groups), np.diff(ptr))))
    free = np.zeros(problem.groups, np.int32)
    free[problem.group] = problem.pin < 0
    return _moves.Groups(
        frozen(problem.group, np.int32), problem.group_ptr, problem.group_node,
        ptr, frozen(near[by_cost], np.int32), frozen(ns[by_cost], np.int64),
        frozen(np.flatnonzero(free), np.int32), frozen(free, np.int32),
    )  # fmt: skip


def _clusters(problem: Problem, placement: Placement, limit_ns: int) -> _moves.Clusters:
    """Clusters of up to so much work."""
    label = clusters(problem, placement, limit_ns)
    of = np.zeros(problem.groups, np.int32)
    of[problem.group] = label
    return _moves.Clusters(frozen(of, np.int32), *rows(int(of.max(initial=-1)) + 1, of))


def _path(placement: Placement, groups: int) -> _moves.Path:
    """A walk that has not begun."""
    n = len(placement)
    node, cause, sent = np.zeros((3, n), np.int32)
    picked, to = np.zeros((2, groups), np.int32)
    return _moves.Path(
        placement.astype(np.int32), placement.astype(np.int32), np.full(4, -1),
        node, cause, sent, np.zeros(n, np.int64), np.full(1, -1), picked, to, np.zeros(groups + 1, np.int64),
        np.zeros(2, np.int64),
    )  # fmt: skip
