"""Make it faster: clusters and single ops moved along the simulated critical chain, judged by the simulator itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.problem import Placement, Problem
from pardnn.refine.blame import waits
from pardnn.refine.clusters import clusters
from scheduler.dag import rows
from scheduler.schedule import Schedule


@dataclass(frozen=True)
class Improve:
    """Local search from coarse to fine, never worse than where it starts, within the memory limits if it starts there.

    At each grain (clusters of 1 / (2 K), 1 / (8 K), ... of the work, at last single groups) the waits along the
    critical chain of the simulated schedule name the moves: an end of a dear transfer to the other end's device, a node
    in the way to another device. The first move that shortens the step is taken. `evaluations` bounds the simulations;
    Nothing is tried any more once the step is as short as the
    problem's lower bound; `enough` is asked before each simulation whether to stop early.
    """

    evaluations: int = 2000
    grains: tuple[int, ...] = (2, 8, 32, 128)
    enough: Callable[[], bool] = lambda: False

    def __call__(self, problem: Problem, placement: Placement, rng: np.random.Generator) -> Placement:
        """Descend, again and again, until nothing moves or the simulations are used up."""
        search = _Search(problem, placement, self.evaluations, self.enough)
        work = int(problem.node_ns.sum())
        moved = True
        while moved and search.left > 0:
            moved = False
            for parts in self.grains:
                moved |= search.descend(work // (parts * problem.gpus))
            moved |= search.descend(0)
        return search.placement


class _Search:
    """The best placement so far with its schedule, and how many simulations are left."""

    def __init__(self, problem: Problem, placement: Placement, evaluations: int, enough: Callable[[], bool]) -> None:
        self.problem, self.placement, self.left, self.enough = problem, placement, evaluations, enough
        self.schedule = problem.simulate(placement)
        self.cost = self._cost(self.schedule)

    def descend(self, limit_ns: int) -> bool:
        """Take improving moves of clusters up to limit_ns until none is left; whether any was taken."""
        label = clusters(self.problem, self.placement, limit_ns)
        ptr, member = rows(int(label.max(initial=-1)) + 1, label)
        taken = False
        while self.left > 0 and any(
            self._try(member[ptr[c] : ptr[c + 1]], device) for c, device in self._moves(label, ptr, member)
        ):
            taken = True
        return taken

    def _moves(
        self, label: NDArray[np.int32], ptr: NDArray[np.int64], member: NDArray[np.int32]
    ) -> Iterator[tuple[int, int]]:
        """(cluster, device) pairs, those that could save most first."""
        found, place = waits(self.problem, self.schedule), self.placement
        finish = np.zeros(self.problem.machine.k, np.int64)
        np.maximum.at(finish, place, self.schedule.finish_ns)
        gain: dict[tuple[int, int], int] = {}
        for v, u, lost, sent in zip(
            found.node.tolist(), found.cause.tolist(), found.lost_ns.tolist(), found.sent.tolist(), strict=True
        ):
            if sent:
                options = [(label[v], place[u]), (label[u], place[v])]
            else:
                options = [(label[w], d) for w in (v, u) for d in range(self.problem.gpus) if d != place[w]]
            for option in options:
                gain[option] = gain.get(option, 0) + lost
        for (c, device), _ in sorted(gain.items(), key=lambda item: (-item[1], item[0])):
            if self.problem.pin[member[ptr[c]]] < 0 and device < self.problem.gpus and place[member[ptr[c]]] != device:
                yield int(c), int(device)

    def _try(self, nodes: NDArray[np.int32], device: int) -> bool:
        if self.left <= 0 or self.enough() or self.cost[0] <= self.problem.lower_bound_ns:
            self.left = 0
            return False
        self.left -= 1
        placement = self.placement.copy()
        placement[nodes] = device
        schedule = self.problem.simulate(placement)
        cost = self._cost(schedule)
        if cost >= self.cost or not self._fits(schedule):
            return False
        self.placement, self.schedule, self.cost = placement, schedule, cost
        return True

    @staticmethod
    def _cost(schedule: Schedule) -> tuple[int, int]:
        """The makespan, and among equals the mean finish."""
        return schedule.makespan_ns, int(schedule.finish_ns.sum())

    def _fits(self, schedule: Schedule) -> bool:
        return not self.problem.limited or bool(
            (self.problem.peaks(schedule) <= self.problem.machine.memory_bytes).all()
        )
