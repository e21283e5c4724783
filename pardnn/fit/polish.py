"""An expression brought to the nearest best one: all constants at once, by damped Newton steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pardnn.fit.expression import Expression

Floats = NDArray[np.float64]
RIDGE = 3e-5
"""Weight of the mean square of the powers beside the mean relative error: enough to tell equal fits apart."""
_SOFT = 0.003
"""Relative errors below this count by their square: |e| has no slope at 0."""
_STEPS, _GOOD, _SMALLEST, _FAINTEST = 120, 1e-6, 1e-12, -18.0


def cost(expression: Expression, features: Floats, target: Floats, weight: Floats) -> float:
    """Mean relative error (softened near 0) over rows of these weights, and the ridge on the powers."""
    error = expression(features) / target - 1
    soft = np.sqrt(error**2 + _SOFT**2)
    return float(weight @ soft / weight.sum() + RIDGE * (expression.power**2).sum())


def polish(
    start: Expression, features: Floats, target: Floats, weight: Floats | None = None, steps: int = _STEPS
) -> Expression:
    """The expression of least cost near `start`, never a worse one. features [n, D], target and weight [n].

    Levenberg and Marquardt on reweighted squares, which have the cost's value and slope: O(n (K D)^2) a step.
    """
    weight = np.ones(len(target)) if weight is None else weight
    best, value, damping = start, cost(start, features, target, weight), 1e-3
    for _ in range(steps):
        slope, curve = _normal(best, features, target, weight)
        while damping < 1e8:
            step = np.linalg.solve(curve + damping * np.diag(np.diag(curve) + _SMALLEST), -slope)
            flat = best.flat + np.clip(step, -2.0, 2.0)
            flat[: 1 + best.terms] = np.maximum(flat[: 1 + best.terms], _FAINTEST)
            tried = Expression.of(flat, best.terms)
            reached = cost(tried, features, target, weight)
            if reached < value:
                break
            damping *= 8
        else:
            return best
        gained, best, value, damping = value - reached, tried, reached, max(damping / 8, 1e-9)
        if gained < _GOOD * value:
            return best
    return best


def _normal(expression: Expression, features: Floats, target: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Slope and curvature [1 + K + K D] of the cost with the errors' weights held where they are."""
    n, terms = features.shape[0], expression.terms
    share = expression.products(features) / target[:, None]
    constant = np.exp(expression.log_constant) / target
    error = share.sum(axis=1) + constant - 1
    by_power = (share[:, :, None] * features[:, None, :]).reshape(n, -1)
    change = np.concatenate([constant[:, None], share, by_power], axis=1)
    near = weight / np.sqrt(error**2 + _SOFT**2) / weight.sum()
    slope, curve = change.T @ (near * error), change.T @ (near[:, None] * change)
    powers = slice(1 + terms, None)
    slope[powers] += 2 * RIDGE * expression.power.ravel()
    curve[powers, powers] += 2 * RIDGE * np.eye(terms * features.shape[1])
    return slope, curve
