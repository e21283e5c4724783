"""The search behind `auto`: many starts under the very mode that will run, the most promising ones improved."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from threading import Lock

import numpy as np

from pardnn.errors import DoesNotFit
from pardnn.problem import Partitioner, Placement, Problem, Refiner

_LARGE = 20_000  # nodes
_MOST = 10**15  # nodes simulated for one improvement: no search gets there but one that has nothing left to do
_FOR_SEVERAL = 1000  # simulations from which on it pays to improve more than one start
_MANY = 200_000  # divided by the number of nodes: so many starts that do not fit are affordable


class Meter:
    """How much of a budget is spent, for whoever waits: `reach` hears the share."""

    def __init__(self, reach: Callable[[float], None] = lambda share: None) -> None:
        self._reach, self._budget, self._spent, self._lock = reach, 0, 0, Lock()

    def begin(self, budget: int) -> None:
        """So much may be spent from now on."""
        self._budget, self._spent = budget, 0
        self._reach(0.0)

    def spend(self, amount: int) -> None:
        """So much more is spent."""
        with self._lock:
            self._spent += amount
            self._reach(min(1.0, self._spent / max(1, self._budget)))


@dataclass(frozen=True)
class Best:
    """The best of all starts and of what is found on fewer GPUs, then improved; never worse than either.

    Splitting further does not always pay: what this finds on 2 GPUs is a start on 3 and 4, and so on. That is left out
    where the work alone takes longer there than the best start, and its budget goes to what follows. On graphs small
    enough `finalists` of the starts are improved with half of the budget, shared out, and the fastest of them
    goes on with the other half; on others the fastest start has all of it. With an `endless` search on the GPUs asked
    for it is improved again and again, each time with twice as much. `enough` is asked between simulations whether to
    stop with the best so far. Raises DoesNotFit if no start fits; on large graphs already when the first `patience` of
    them do not: all try much the same to make it fit.
    """

    starts: Mapping[str, Partitioner]
    improve: Callable[[int], Refiner]
    """Makes the refiner that spends such a budget."""
    budget: int
    """For each number of GPUs."""
    times: int
    """The budget is no more than so many simulations of the whole graph."""
    enough: Callable[[], bool]
    endless: bool = False
    finalists: int = 3
    patience: int = 4
    meter: Meter = field(default_factory=Meter)
    """What is spent is told to it, by the refiners that `improve` makes."""
    few: tuple[tuple[str, ...], ...] = ()
    """On large graphs these starts on all GPUs, as they are, if any of them fits; none named = all, improved.

    Each tuple has a thread of its own.
    """

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """Start everywhere, improve the finalists, keep the fastest."""
        seed = int(rng.integers(1 << 62))
        self.meter.begin(_MOST if self.endless else self._plain(problem) * _levels(problem))
        fastest, share = self._solved(problem, seed)
        rng = np.random.default_rng([seed, 0])
        while self.endless and share < _MOST and not self._hurried(problem) and not self.enough():
            fastest, share = _no_worse(problem, [fastest], self.improve(share)(problem, fastest, rng)), 2 * share
        return fastest

    def _solved(self, problem: Problem, seed: int) -> tuple[Placement, int]:
        """The answer with the plain budget, and that budget; the same for its own sake and as a start on more GPUs."""
        rng = np.random.default_rng([seed, problem.gpus])
        ranked = self._ranked(problem, rng)
        budget = self._plain(problem)
        if self._hurried(problem) or ranked[0][0] <= problem.lower_bound_ns:
            return ranked[0][1], budget
        if (fewer := _fewer(problem)) is not None:
            start = self._on_fewer(fewer, ranked[0][0], seed)
            if start is None:
                budget *= _levels(problem)
            else:
                ranked.append((problem.simulate(start).makespan_ns, start))
                ranked.sort(key=lambda pair: pair[0])
        if self.enough():
            return ranked[0][1], budget
        return self._improved([start for _, start in ranked], budget, problem, rng), budget

    def _plain(self, problem: Problem) -> int:
        """The budget for one number of GPUs; less of it on large graphs, which no cache holds."""
        n = problem.workload.dag.n
        return min(self.budget if n <= _LARGE else self.budget // 2, self.times * n)

    def _on_fewer(self, fewer: Problem, than_ns: int, seed: int) -> Placement | None:
        """The answer on fewer GPUs; None where it cannot be faster than that, or nothing fits."""
        if _work_ns(fewer) >= than_ns:
            return None
        try:
            return self._solved(fewer, seed)[0]
        except DoesNotFit:
            return None

    def _improved(self, starts: list[Placement], budget: int, problem: Problem, rng: np.random.Generator) -> Placement:
        """The fastest of the first of these after each was improved; that one has half of the budget by itself."""
        fastest = starts[0]
        if budget >= _FOR_SEVERAL * problem.workload.dag.n:
            some = starts[: self.finalists]
            improve = self.improve(budget // 2 // len(some))
            fastest = min(_each(improve, problem, some, rng), key=lambda p: problem.simulate(p).makespan_ns)
            budget -= budget // 2
        return _no_worse(problem, starts, self.improve(budget)(problem, fastest, rng))

    def _ranked(self, problem: Problem, rng: np.random.Generator) -> list[tuple[int, Placement]]:
        """(makespan, placement) of the different starts, the fastest first."""
        found: dict[bytes, tuple[int, Placement]] = {}
        refused: DoesNotFit | None = None
        failures, most = 0, max(self.patience, _MANY // max(1, problem.workload.dag.n))
        if self._hurried(problem) and (few := self._abreast(problem, rng)):
            return sorted(few, key=lambda pair: pair[0])
        for start in self.starts.values():
            if self.enough() if found else failures >= most:
                break
            try:
                makespan_ns, placement = _tried(start, problem, rng)
            except DoesNotFit as error:
                refused, failures = refused or error, failures + 1
                continue
            found.setdefault(placement.tobytes(), (makespan_ns, placement))
        if not found:
            assert refused is not None
            raise refused
        return sorted(found.values(), key=lambda pair: pair[0])

    def _abreast(self, problem: Problem, rng: np.random.Generator) -> list[tuple[int, Placement]]:
        """(makespan, placement) of the few starts that fit."""

        def row(names: tuple[str, ...], rng: np.random.Generator) -> list[tuple[int, Placement]]:
            found = []
            for name in names:
                with suppress(DoesNotFit):
                    found.append(_tried(self.starts[name], problem, rng))
            return found

        with ThreadPoolExecutor(len(self.few)) as pool:
            return list(chain(*pool.map(row, self.few, rng.spawn(len(self.few)))))

    def _hurried(self, problem: Problem) -> bool:
        return bool(self.few) and problem.workload.dag.n > _LARGE


def _no_worse(problem: Problem, starts: list[Placement], after: Placement) -> Placement:
    """The improved placement, or one of the starts: what improves takes sending for nobody's work."""
    if problem.sharing is None:
        return after
    return min((after, *starts), key=lambda placement: _judged(problem, placement))


def _judged(problem: Problem, placement: Placement) -> tuple[bool, int]:
    """(whether it does not fit, makespan), the smaller the better."""
    schedule = problem.simulate(placement)
    return bool((problem.peaks(schedule) > problem.machine.memory_bytes).any()), schedule.makespan_ns


def _tried(start: Partitioner, problem: Problem, rng: np.random.Generator) -> tuple[int, Placement]:
    """(makespan, placement). Raises DoesNotFit."""
    placement = start(problem, rng)
    return problem.simulate(placement).makespan_ns, placement


def _each(improve: Refiner, problem: Problem, starts: list[Placement], rng: np.random.Generator) -> list[Placement]:
    """Each of the starts improved, on as many cores as there are; the same whatever their number."""
    problem.simulate(starts[0])  # what all share is worked out, and compiled, once
    rngs = rng.spawn(len(starts))
    with ThreadPoolExecutor(min(len(starts), len(os.sched_getaffinity(0)))) as pool:
        return list(pool.map(improve, repeat(problem), starts, rngs))


def _fewer(problem: Problem) -> Problem | None:
    """The problem on the largest power of two of GPUs that is less; None where nothing is left to search."""
    gpus = 1 << max(0, (problem.gpus - 1).bit_length() - 1)
    while gpus > 1:
        if not ((problem.pin >= gpus) & (problem.pin < problem.gpus)).any():
            return replace(problem, gpus=gpus)
        gpus //= 2
    return None


def _levels(problem: Problem) -> int:
    """How many numbers of GPUs are searched: these and all that are fewer."""
    fewer = _fewer(problem)
    return 1 if fewer is None else 1 + _levels(fewer)


def _work_ns(problem: Problem) -> int:
    """No step on these GPUs is shorter: their share of the work that may go to any of them."""
    fastest = problem.workload.time_ns[problem.pin < 0, : problem.gpus].min(axis=1, initial=np.iinfo(np.int64).max)
    return -(-int(fastest.sum()) // problem.gpus)
