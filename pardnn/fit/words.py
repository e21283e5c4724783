"""What a fitted model says, in plain words and as figures."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pardnn.fit.expression import Expression
from pardnn.fit.model import Model

Floats = NDArray[np.float64]
Figure = tuple[float, float, float]
"""A value between two others: `Model.interval`."""


def explain(model: Model, features: Floats) -> list[dict[str, Any]]:
    """Per column what it does to the time at the rows [n, D] that were learned from, the strongest first.

    Of a power: by what doubling it multiplies the time, as the geometric mean over the rows. Of a level: the same of
    being that one and not the first.
    """
    powers = len(model.design.powers)
    result = []
    for i, name in enumerate(model.design.features):
        change = _doubled(features, i) if i < powers else _switched(features, i, model)
        value, low, high = model.interval(change)
        role = model.design.powers[i].role if i < powers else "kind"
        result.append({
            "column": name,
            "role": role,
            "times": _round(value),
            "low": _round(low),
            "high": _round(high),
            "words": sentence(name, i < powers, (value, low, high), model),
        })  # fmt: skip
    return sorted(result, key=lambda row: (-abs(math.log(row["times"])), row["column"]))


def terms(model: Model, features: Floats) -> list[dict[str, Any]]:
    """Per product its factor a_k in the target's unit, its mean share of the time, and every power with its interval.

    Of a level it is the factor that comes with it, beside the first level of its column.

    A factor belongs to values over their geometric means: a_k is what the product takes at a typical row.
    """
    result = []
    for k in range(model.expression.terms):
        factor = model.interval(lambda e, k=k: float(np.exp(e.log_factor[k])) * model.unit)  # type: ignore[misc]
        share = model.expression.products(features)[:, k] / model.expression(features)
        figures: tuple[dict[str, Any], dict[str, Any]] = {}, {}
        for i, name in enumerate(model.design.features):
            level = i >= len(model.design.powers)
            figures[level][name] = _named(model.interval(_constant(k, i, level=level)))
        row = {"factor": _named(factor), "share": _round(float(share.mean()))}
        result.append(row | dict(zip(("powers", "levels"), figures, strict=True)))
    return sorted(result, key=lambda row: -row["share"])


def constant(model: Model) -> dict[str, float | None]:
    """C in the target's unit, with its interval."""
    return _named(model.interval(lambda e: math.exp(e.log_constant) * model.unit))


def sentence(name: str, power: bool, figure: Figure, model: Model) -> str:
    """A column's effect in words.

    >>> sentence("batch", True, (2.02, 1.95, 2.09), None)
    'doubling batch multiplies the time by 2.02 [1.95, 2.09]'
    """
    value, low, high = figure
    between = "" if math.isnan(low) else f" [{low:.2f}, {high:.2f}]"
    if power:
        return f"doubling {name} multiplies the time by {value:.2f}{between}"
    column, _, level = name.partition("=")
    kind = next(kind for kind in model.design.kinds if kind.name == column)
    return f"{column} {level} takes {value:.2f}{between} times as long as {kind.levels[0]}"


def formula(model: Model) -> str:
    """The expression on a line: powers rounded, those below 0.005 left out."""
    parts = [f"{math.exp(model.expression.log_constant) * model.unit:.3g}"]
    for factor, power in zip(model.expression.log_factor, model.expression.power, strict=True):
        named = zip(model.design.features, power.tolist(), strict=True)
        raised = "".join(f" {name}^{p:.2f}" for name, p in named if abs(p) >= 0.005)
        parts.append(f"{math.exp(factor) * model.unit:.3g}{raised}")
    return " + ".join(parts)


def _constant(term: int, feature: int, *, level: bool) -> Callable[[Expression], float]:
    """A power of a product, or the factor of a level."""

    def figure(expression: Expression) -> float:
        power = float(expression.power[term, feature])
        return math.exp(power) if level else power

    return figure


def _doubled(features: Floats, column: int) -> Callable[[Expression], float]:
    more = features.copy()
    more[:, column] += math.log(2)
    return lambda e: float(np.exp(np.log(e(more) / e(features)).mean()))


def _switched(features: Floats, column: int, model: Model) -> Callable[[Expression], float]:
    """Of a level: all rows at it, beside all rows at the first of its column."""
    name = model.design.features[column].partition("=")[0]
    same = [i for i, other in enumerate(model.design.features) if other.startswith(f"{name}=")]
    without = features.copy()
    without[:, same] = 0
    there = without.copy()
    there[:, column] = 1
    return lambda e: float(np.exp(np.log(e(there) / e(without)).mean()))


def _named(figure: Figure) -> dict[str, float | None]:
    return dict(zip(("value", "low", "high"), map(_round, figure), strict=True))


def _round(value: float) -> Any:
    """Six digits, so that the last bits of a machine's arithmetic do not show; None for what is not known."""
    return None if math.isnan(value) else float(f"{value:.6g}")
