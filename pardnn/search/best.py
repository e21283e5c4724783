"""The search behind `auto`: many starts under the very mode that will run, the most promising ones improved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from pardnn.errors import DoesNotFit
from pardnn.problem import Partitioner, Placement, Problem, Refiner

_ROUND = 20_000_000  # what is spent before the first placement is improved a second time
_LARGE = 20_000  # nodes
_FOR_SEVERAL = 1000  # simulations from which on it pays to improve more than one start
_MANY = 200_000  # divided by the number of nodes: so many starts that do not fit are affordable


class Meter:
    """How much of a budget is spent, for whoever waits: `reach` hears the share."""

    def __init__(self, reach: Callable[[float], None] = lambda share: None) -> None:
        self._reach, self._budget, self._spent = reach, 0, 0

    def begin(self, budget: int) -> None:
        """So much may be spent from now on."""
        self._budget, self._spent = budget, 0
        self._reach(0.0)

    def spend(self, amount: int) -> None:
        """So much more is spent."""
        self._spent += amount
        self._reach(min(1.0, self._spent / max(1, self._budget)))


@dataclass(frozen=True)
class Best:
    """The best of all starts, on all GPUs and on fewer, then improved; never worse than the best start.

    Splitting further does not always pay, so each start is also made for half the GPUs, a quarter, ...; on large graphs
    each time only by the third of the methods that did best. On graphs small
    enough `finalists` of the starts are improved with half of a round's budget, shared out, and the fastest of them
    goes on with the other half; on others the fastest start has all of it. With a budget for more than a round it is
    improved again and again, each time with twice as much. `enough` is asked between simulations whether to stop with
    the best so far. Raises DoesNotFit if no start fits; on large graphs already when the first `patience` of them do
    not: all try much the same to make it fit.
    """

    starts: Mapping[str, Partitioner]
    improve: Callable[[int], Refiner]
    """Makes the refiner that spends such a budget."""
    budget: int
    times: int
    """The budget is no more than so many simulations of the whole graph."""
    enough: Callable[[], bool]
    finalists: int = 3
    patience: int = 4
    meter: Meter = field(default_factory=Meter)
    """What is spent is told to it, by the refiners that `improve` makes."""
    few: tuple[str, ...] = ()
    """On large graphs these starts on all GPUs, as they are, if any of them fits; none named = all, improved."""

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """Start everywhere, improve the finalists, keep the fastest."""
        ranked = self._ranked(problem, rng)
        if self._hurried(problem):
            return ranked[0][1]
        fastest, left = ranked[0][1], min(self.budget, self.times * problem.workload.dag.n)
        share = min(left, _ROUND)
        self.meter.begin(left)
        if share >= _FOR_SEVERAL * problem.workload.dag.n:
            share //= 2
            fastest = self._improved([start for _, start in ranked[: self.finalists]], share, problem, rng)
            left -= share
        while left > 0 and not self.enough():
            fastest = self.improve(min(share, left))(problem, fastest, rng)
            left, share = left - share, 2 * share
        if problem.sharing is not None:  # improved as if sending were nobody's work
            return min((fastest, *(start for _, start in ranked)), key=lambda placement: _judged(problem, placement))
        return fastest

    def _improved(self, starts: list[Placement], budget: int, problem: Problem, rng: np.random.Generator) -> Placement:
        """The fastest of these after each was improved with an equal part of the budget."""
        improve = self.improve(budget // len(starts))
        return min((improve(problem, start, rng) for start in starts), key=lambda p: problem.simulate(p).makespan_ns)

    def _ranked(self, problem: Problem, rng: np.random.Generator) -> list[tuple[int, Placement]]:
        """(makespan, placement) of the different starts, the fastest first."""
        found: dict[bytes, tuple[int, Placement]] = {}
        reached: dict[str, int] = {}
        refused: DoesNotFit | None = None
        failures, most = 0, max(self.patience, _MANY // max(1, problem.workload.dag.n))
        for smaller, name in self._attempts(problem, reached):
            if self.enough() if found else failures >= most:
                break
            try:
                placement = self.starts[name](smaller, rng)
            except DoesNotFit as error:
                refused, failures = refused or error, failures + 1
                continue
            reached[name] = problem.simulate(placement).makespan_ns
            found.setdefault(placement.tobytes(), (reached[name], placement))
        if not found:
            assert refused is not None
            raise refused
        return sorted(found.values(), key=lambda pair: pair[0])

    def _attempts(self, problem: Problem, reached: Mapping[str, int]) -> Iterator[tuple[Problem, str]]:
        """What to try in turn, as long as it is of use after what was reached."""
        if self._hurried(problem):
            yield from ((problem, name) for name in self.few)
            if reached:
                return
        names, large = list(self.starts), problem.workload.dag.n > _LARGE
        for smaller in _fewer(problem):
            yield from ((smaller, name) for name in names)
            if not reached:  # with fewer GPUs there is less memory yet
                return
            if large:
                names = sorted(reached, key=lambda name: reached[name])[: len(names) // 3]

    def _hurried(self, problem: Problem) -> bool:
        return bool(self.few) and problem.workload.dag.n > _LARGE


def _judged(problem: Problem, placement: Placement) -> tuple[bool, int]:
    """(whether it does not fit, makespan), the smaller the better."""
    schedule = problem.simulate(placement)
    return bool((problem.peaks(schedule) > problem.machine.memory_bytes).any()), schedule.makespan_ns


def _fewer(problem: Problem) -> Iterator[Problem]:
    """The problem on all its GPUs, then on the first half of them, a quarter, ..."""
    gpus = problem.gpus
    while gpus > 1:
        if not ((problem.pin >= gpus) & (problem.pin < problem.gpus)).any():
            yield replace(problem, gpus=gpus)
        gpus //= 2
    if problem.gpus == 1:
        yield problem
