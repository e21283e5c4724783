"""Methods: a partitioner followed by refiners, and the search over them behind `auto`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from pardnn.errors import InputError
from pardnn.partitioners.metis import Metis
from pardnn.problem import Partitioner, Placement, Problem, Refiner
from pardnn.refine.fit import Fit
from pardnn.registry import partitioners
from pardnn.search.best import Best, Meter
from pardnn.search.exact.prove import Exact
from pardnn.search.grains import Grains

AUTO = "auto"
EXACT = "exact"
_FIT = Fit()
_ASIDE = 25
"""Such a part of the effort is spent beside a plan, on each question."""
_ASIDE_STARTS = ("metis", "single")


@dataclass(frozen=True)
class Method:
    """A partitioner and the refiners behind it; under memory limits the first of them makes it fit."""

    partitioner: Partitioner
    refiners: tuple[Refiner, ...] = (_FIT,)

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """Decide, then refine."""
        placement = problem.settle(self.partitioner(problem, rng))
        for refine in self.refiners:
            placement = refine(problem, placement, rng)
        return placement


BUDGETS: Mapping[str, tuple[int, int]] = {
    "fast": (200_000, 15_000),
    "live": (5_000_000, 200),  # so that it takes little beside the tracing of as many ops
    "balanced": (14_000_000, 20_000),
    "best": (14_000_000, 20_000),  # and again and again: whoever asks for it stops it
}
"""Nodes the search may simulate for each number of GPUs: so many, some millions a second, and so many times all."""


def method(
    name: str,
    effort: str = "balanced",
    enough: Callable[[], bool] = lambda: False,
    fit: Fit = _FIT,
    patience: int = Best.patience,
    left_s: Callable[[], float] = lambda: math.inf,
    reach: Callable[[float], None] = lambda share: None,
) -> Partitioner:
    """The method of that name. `enough` is asked now and then whether `auto` should stop with the best so far.

    `fit` is what makes placements fit; for `patience` see `Best`. `left_s` tells `exact` the seconds it may take,
    `reach` hears which share of its budget `auto` has spent. Raises InputError for an unknown name.
    """
    entries = partitioners.all()
    if name in entries:
        return Method(entries[name].make(), (fit,))
    if name == EXACT:
        start = method(AUTO, "balanced" if effort == "best" else effort, enough, fit, patience)
        return Exact(start, replace(fit, trials=0), enough, left_s)
    if name != AUTO:
        raise InputError(f"no method {name!r}; there are: {', '.join((AUTO, EXACT, *entries))}")
    starts = {name: Method(entry.make(), (fit,)) for name, entry in entries.items() if entry.start}
    # METIS is quick and, on wide graphs, a matter of luck.
    starts |= {f"metis {imbalance}": Method(Metis(imbalance), (fit,)) for imbalance in (10, 30, 300, 1000)}
    meter = Meter(reach)
    improve = partial(Grains, enough=enough, spend=meter.spend)
    few = (("metis", "metis 30", "single"), ("etf",)) if effort == "fast" else ()
    return Best(starts, improve, *BUDGETS[effort], enough, effort == "best", patience=patience, meter=meter, few=few)


@dataclass(frozen=True)
class Given:
    """A placement that is known, folded onto the GPUs there are."""

    placement: Placement

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """The placement, device 5 of 4 being device 1."""
        return (self.placement % problem.gpus).astype(np.int32)


def aside(
    name: str, effort: str, known: Sequence[Placement] = (), enough: Callable[[], bool] = lambda: False
) -> Partitioner | None:
    """`auto` from few starts and what is known, with a small part of the effort: for a question beside the plan.

    None where the method or the effort does not search, for then it would take longer than the plan.
    """
    if name not in (AUTO, EXACT) or effort == "fast":
        return None
    search = method(AUTO, "balanced" if effort == "best" else effort, enough)
    assert isinstance(search, Best)
    starts = {start: search.starts[start] for start in _ASIDE_STARTS}
    starts |= {f"known {i}": Method(Given(placement)) for i, placement in enumerate(known)}
    return replace(search, starts=starts, budget=search.budget // _ASIDE, times=max(1, search.times // _ASIDE))


def summaries() -> dict[str, str]:
    """Every method's name and what it is in half a line."""
    own = {AUTO: "the best of the others under the mode asked for, then improved by annealing (default)"}
    own |= {EXACT: "auto, then OR-Tools CP-SAT improves it and proves how good a placement can be; about a minute"}
    return own | {name: entry.summary for name, entry in partitioners.all().items()}
