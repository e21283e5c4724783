"""How many products an expression should have: those that predict best the rows that were kept from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.fit.evolve import Late
from pardnn.fit.grow import grow

Floats = NDArray[np.float64]
Tell = Callable[[float, str], None]
"""Told how much of all the work is done, of 1, and what is being done now."""
_FOLDS, _PART = 5, 0.6


@dataclass(frozen=True, eq=False)
class Choice:
    """What cross-validation found."""

    terms: int
    error: tuple[float, ...]
    """Mean relative error of rows that were left out, by number of products from 1 on."""
    spread: tuple[float, ...]
    """Its standard error over the folds."""
    ratio: Floats
    """[n] target / prediction of each row by the expression with `terms` products that had not seen it."""


def choose_terms(
    features: Floats, target: Floats, asked: int | None, most: int, seed: int, late: Late, tell: Tell
) -> Choice:
    """The choice for rows [n, D] and targets [n] among 1 to `most` products; `asked` fixes it, if not None.

    Five folds, drawn by the seed. The fewest products whose error is within one standard error of the least [1].
    [1] Breiman, Friedman, Olshen, Stone: Classification and regression trees. 1984, chapter 3.4.3.
    """
    n, terms = len(target), asked or most
    folds = min(_FOLDS, n)
    fold = np.random.default_rng([seed, 0]).permutation(n) % folds
    ratio = np.full((terms, n), np.nan)
    for f in range(folds):
        if f and late():
            break
        rest, out = fold != f, fold == f
        rng = np.random.default_rng([seed, 1, f])

        def say(number: int, f: int = f) -> None:
            done = (f + (number - 1) / terms) / folds
            tell(_PART * done, f"cross-validation, part {f + 1} of {folds}: {number} of up to {terms} products")

        grown = 0
        for number, found in enumerate(grow(features[rest], target[rest], terms, rng, late, say)):
            ratio[number, out] = target[out] / found(features[out])
            grown = number + 1
        ratio[grown:, out] = ratio[grown - 1, out]  # it was late: the last is the best there is
    done = ~np.isnan(ratio[0])
    wrong = np.abs(1 / ratio[:, done] - 1)
    by_fold = np.array([wrong[:, fold[done] == f].mean(axis=1) for f in np.unique(fold[done])])
    error = wrong.mean(axis=1)
    spread = by_fold.std(axis=0, ddof=1) / np.sqrt(len(by_fold)) if len(by_fold) > 1 else np.zeros(terms)
    least = int(error.argmin())
    best = terms if asked else int(np.argmax(error <= error[least] + spread[least])) + 1
    return Choice(best, tuple(error.tolist()), tuple(spread.tolist()), ratio[best - 1][done])
