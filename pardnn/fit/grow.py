"""Expressions of one product, two, three ...: each grown from the one before."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from pardnn.fit.evolve import Late, evolve
from pardnn.fit.expression import Expression
from pardnn.fit.polish import cost, polish

Floats = NDArray[np.float64]
_EVOLVED, _SPLIT = 2, 3
_APART = 0.5
"""How far, about, the powers of a product's two halves begin from its own."""


def grow(
    features: Floats, target: Floats, terms: int, rng: np.random.Generator, late: Late, tell: Callable[[int], None]
) -> Iterator[Expression]:
    """Expressions of 1 to `terms` products for rows [n, D] and targets [n]; stops early once it is late.

    Each new product is sought by evolution, and by splitting one there is into two unlike halves; of all of these the
    best is kept, after all constants were polished.
    """
    found: Expression | None = None
    for number in range(1, terms + 1):
        tell(number)
        best, least = found, math.inf
        for start in _starts(found, features, target, rng, late):
            tried = polish(start, features, target)
            reached = cost(tried, features, target, np.ones(len(target)))
            if reached < least:
                best, least = tried, reached
            if late():
                break
        assert best is not None
        found = best
        yield found
        if late():
            return


def _starts(
    given: Expression | None, features: Floats, target: Floats, rng: np.random.Generator, late: Late
) -> Iterator[Expression]:
    """Expressions with one product more than `given` has."""
    for _ in range(_EVOLVED):
        yield evolve(given, features, target, rng, late)
    for _ in range(_SPLIT if given is not None else 0):
        assert given is not None
        yield _halved(given, rng)


def _halved(given: Expression, rng: np.random.Generator) -> Expression:
    """The expression with one of its products as two halves, their powers a bit to both sides of its own."""
    which = int(rng.integers(given.terms))
    apart = rng.normal(0, _APART, given.power.shape[1])
    factor, power = given.log_factor.copy(), given.power.copy()
    factor[which] -= math.log(2)
    power[which] += apart
    return Expression(
        given.log_constant, np.append(factor, factor[which]), np.vstack([power, power[which] - 2 * apart])
    )
