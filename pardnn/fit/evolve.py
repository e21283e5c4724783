"""One more product, found by differential evolution over its powers; the constants follow from them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pardnn.fit.expression import STEEPEST, Expression

Floats = NDArray[np.float64]
Late = Callable[[], bool]
_WIDEST = 4.0
"""The range in which powers are sought; the polishing afterwards may leave it."""
_MEMBERS, _GENERATIONS, _ROUNDS, _ROWS = 8, 60, 24, 1500
_LEAST = 0.02
"""Of the mean time, what a new product begins with at least: one that begins at nothing has no slope to go along."""


def evolve(
    given: Expression | None, features: Floats, target: Floats, rng: np.random.Generator, late: Late
) -> Expression:
    """The expression `given` (None: the constant alone) with one product more.

    Differential evolution [1] by scipy over the D powers of the new product. For each candidate, C and all a_k are the
    best ones that are not negative, in least squares of the relative error: what is left is the cost, as mean |e|. At
    most so many rows are looked at, drawn by `rng`. O(generations members (n K + K^2)).
    [1] Storn, Price: Differential evolution. J. Global Optimization 11 (1997), doi 10.1023/A:1008202821328.
    """
    from scipy.optimize import differential_evolution

    if len(target) > _ROWS:
        chosen = np.sort(rng.choice(len(target), _ROWS, replace=False))
        features, target = features[chosen], target[chosen]
    known = [1 / target[:, None]]
    if given is not None:
        known.append(np.exp(np.minimum(features @ given.power.T, STEEPEST)) / target[:, None])
    old = np.concatenate(known, axis=1)

    def error(powers: Floats) -> Floats:
        """[s] of candidates [D, s]."""
        columns = np.exp(np.clip(features @ powers, -STEEPEST, STEEPEST)) / target[:, None]
        factors = _factors(old, columns)
        left = 1 - (old @ factors[:, :-1].T + columns * factors[:, -1])
        return np.asarray(np.abs(left).mean(axis=0))

    bounds = [(-_WIDEST, _WIDEST)] * features.shape[1]
    found = differential_evolution(
        error, bounds, vectorized=True, updating="deferred", maxiter=_GENERATIONS, popsize=_MEMBERS, rng=rng,
        polish=False, init="sobol", callback=lambda *_: late(),
    )  # fmt: skip
    new = np.exp(np.clip(features @ found.x, -STEEPEST, STEEPEST)) / target[:, None]
    factors = np.log(np.maximum(_factors(old, new[:, None])[0], _LEAST))
    power = found.x[None] if given is None else np.concatenate([given.power, found.x[None]])
    return Expression(float(factors[0]), factors[1:], power)


def _factors(old: Floats, new: Floats) -> Floats:
    """[s, c + 1] the factors >= 0 that bring sums nearest to 1: of columns [n, c] for all and one [n] of its own.

    Coordinate descent on the normal equations: the problems are small and there are many.
    """
    new = new.reshape(len(old), -1)
    c, s = old.shape[1], new.shape[1]
    gram, right = np.empty((s, c + 1, c + 1)), np.empty((s, c + 1))
    gram[:, :c, :c], right[:, :c] = old.T @ old, old.sum(axis=0)
    gram[:, :c, c] = gram[:, c, :c] = new.T @ old
    gram[:, c, c], right[:, c] = (new**2).sum(axis=0), new.sum(axis=0)
    factors = np.zeros((s, c + 1))
    own = np.maximum(np.diagonal(gram, axis1=1, axis2=2), 1e-300)
    for _ in range(_ROUNDS):
        for j in range(c + 1):
            pull = right[:, j] - np.einsum("sc,sc->s", gram[:, j], factors) + own[:, j] * factors[:, j]
            factors[:, j] = np.maximum(pull / own[:, j], 0)
    return factors
