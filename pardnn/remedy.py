"""Does not fit: the smallest memory that was tried and works, and the bound below which nothing can."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from pardnn.config import Options
from pardnn.errors import DoesNotFit
from pardnn.methods import method
from pardnn.problem import Placement, Problem
from pardnn.refine.fit import Fit
from pardnn.refine.needs import Needs
from pardnn.search.best import Best
from pardnn.subject import Subject, with_memory
from pardnn.units import ceil_size, floor_size

_LARGE = 20_000  # nodes from which on a try takes seconds
_MARGINS = (1.02, 1.1, 1.5, 2.0)
_NEAR = 1.02
_FULL, _QUICK, _QUICKEST = Fit(), Fit(trials=0), Fit(rounds=4, corrections=2, trials=0)


@dataclass(frozen=True)
class Remedy:
    """Options under which the same run was seen to fit, as they are typed, None if none was found; and the bound."""

    typed: str | None
    proven: str
    """Less memory for each GPU than this does for no placement."""


def remedy(subject: Subject, options: Options, error: DoesNotFit) -> DoesNotFit:
    """The error with a way out: a `--mem` for which this very run, repeated, succeeds; and who knows more."""
    found = enough(subject, options)
    works = f"{found.typed} works (tried); " if found.typed else ""
    return DoesNotFit(
        f"{error}; {works}below {found.proven} no placement can fit (proven); `pardnn advise` finds what else would do"
    )


def enough(subject: Subject, options: Options) -> Remedy:
    """The smallest memory of each GPU that was seen to be enough.

    The memory is the same for every GPU. It is sought between the proven bound and what an unlimited run needs, by
    tries that are made less of an effort to fit than the run will make. What they find is then tried as it will be
    typed, up to the first placement that fits: from there on a run can only become faster, and no longer fail.
    """
    tries = _Tries(subject, options)
    fraction = float(options.mem_fraction)
    bound = memory_bound(subject.problem) / fraction
    proven = floor_size(int(bound))
    free = tries.quick("unlimited")
    found: list[str] = []
    if free:
        failed = int(subject.problem.machine.memory_bytes[: subject.problem.gpus].min()) / fraction
        found = _working(lambda mem: tries.quick(mem) is not None, max(bound, failed), free / fraction, tries.steps)
    best = next((mem for mem in found if tries.typed(mem) is not None), None)
    if best is None:
        return Remedy(None, proven)
    listed = options.gpus is None and "," in str(options.mem)
    return Remedy(f"--gpus {subject.problem.gpus // options.hosts} --mem {best}" if listed else f"--mem {best}", proven)


@dataclass(frozen=True)
class _Tries:
    """Runs of the method with another memory, to see whether they fit: the most any GPU holds, None if they do not."""

    subject: Subject
    options: Options

    @property
    def steps(self) -> int:
        """How often the interval is halved."""
        return 4 if self._large else 6

    @property
    def _large(self) -> bool:
        return self.subject.problem.workload.dag.n > _LARGE

    def quick(self, mem: str) -> int | None:
        """With less effort to fit."""
        return self._run(mem, _QUICKEST if self._large else _QUICK, patience=1)

    def typed(self, mem: str) -> int | None:
        """As it will be typed."""
        return self._run(mem)

    def _run(self, mem: str, fit: Fit = _FULL, patience: int = Best.patience) -> int | None:
        options = self.options
        gpus = self.subject.problem.gpus // options.hosts if options.gpus is None else options.gpus
        problem = with_memory(self.subject, replace(options, gpus=gpus, mem=mem)).problem
        placement = first_fit(problem, options, fit, patience)
        if placement is None:
            return None
        return int(problem.peaks(problem.simulate(placement))[: problem.gpus].max())


def first_fit(problem: Problem, options: Options, fit: Fit = _FULL, patience: int = Best.patience) -> Placement | None:
    """The first placement within the limits that a run meets, None if there is none.

    From there on it can only become faster, and no longer fail.
    """
    try:
        return attempt(problem, options, fit, patience)
    except DoesNotFit:
        return None


def attempt(problem: Problem, options: Options, fit: Fit = _FULL, patience: int = Best.patience) -> Placement:
    """The same; raises DoesNotFit."""
    return method(options.method, options.effort, lambda: True, fit, patience)(
        problem, np.random.default_rng(options.seed)
    )


def quick_fit(problem: Problem, options: Options) -> Placement | None:
    """As `first_fit`, with less effort to make a placement fit."""
    return first_fit(problem, options, _QUICKEST if problem.workload.dag.n > _LARGE else _QUICK, patience=1)


def _working(works: Callable[[str], bool], low: float, high: float, steps: int) -> list[str]:
    """Sizes that were seen to work, the least first, as they are typed; high = what should do."""
    if works(least := ceil_size(int(low))):
        return [least]
    found = []
    for factor in _MARGINS:
        if works(typed := ceil_size(int(factor * high) + 1)):
            found, high = [typed], factor * high
            break
    for _ in range(steps if found else 0):
        if high <= _NEAR * low:
            break
        middle = (low * high) ** 0.5
        if works(typed := ceil_size(int(middle) + 1)):
            found, high = [typed, *found], middle
        else:
            low = middle
    return found


def memory_bound(problem: Problem) -> int:
    """Usable bytes below which no placement fits: the neediest group on a card of its own, the residents shared out."""
    needs = Needs.of(problem)
    shared = -(-int(needs.resident[needs.free].sum()) // problem.gpus)
    return max(neediest(problem), shared)


def neediest(problem: Problem) -> int:
    """Usable bytes below which no placement fits however many GPUs there are: what the largest group takes alone."""
    needs = Needs.of(problem)
    return int((needs.resident + needs.running)[needs.free].max(initial=0))
