"""A fitted model: its design, expression and the draws that tell how sure it is; predictions; its JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pardnn.errors import InputError
from pardnn.fit.design import Assumed, Design, Kind, Power
from pardnn.fit.expression import Expression
from pardnn.fit.resample import FEWEST
from pardnn.fit.table import Table

Floats = NDArray[np.float64]
FORMAT = "pardnn-fit/1"
LEVEL, ROW_LEVEL = 0.95, 0.90
"""Of the intervals of constants, and of those of predictions."""
_DIGITS = 10


@dataclass(frozen=True, eq=False)
class Prediction:
    """Columns over m rows."""

    value: Floats
    low: Floats
    high: Floats
    outside: list[list[str]]
    """The columns in which a row is beyond what was learned from."""


@dataclass(frozen=True, eq=False)
class Model:
    """All that is needed to predict."""

    design: Design
    unit: float
    """The geometric mean of the target: expressions count in it."""
    expression: Expression
    draws: tuple[Expression, ...]
    """The same fitted to drawn tables."""
    ratio: tuple[float, float]
    """Measured over predicted: the 5 % and 95 % points among rows that the expression had not seen."""
    rows: int
    error: float
    """Mean relative error in cross-validation."""

    def predict(self, table: Table) -> Prediction:
        """What the rows of a table take, with 90 % intervals. Raises InputError.

        An interval joins what rows scatter around the expression and how far the drawn expressions are apart, as
        independent errors of the logarithm.
        """
        features = self.design.encode(table)
        value = self.expression(features)
        low, high = (np.full(len(value), abs(math.log(side))) for side in self.ratio)
        if len(self.draws) >= FEWEST:
            apart = np.log(np.stack([draw(features) for draw in self.draws]) / value)
            ends = np.quantile(apart, [(1 - ROW_LEVEL) / 2, (1 + ROW_LEVEL) / 2], axis=0)
            low, high = np.hypot(low, np.minimum(ends[0], 0)), np.hypot(high, np.maximum(ends[1], 0))
        value = value * self.unit * self.design.scale(table)
        return Prediction(value, value * np.exp(-low), value * np.exp(high), self.design.outside(table))

    def interval(self, figure: Callable[[Expression], float]) -> tuple[float, float, float]:
        """A figure of the expression, and between what it lies in 95 % of the draws; nan without draws."""
        value = figure(self.expression)
        if len(self.draws) < FEWEST:
            return value, math.nan, math.nan
        low, high = np.quantile([figure(draw) for draw in self.draws], [(1 - LEVEL) / 2, (1 + LEVEL) / 2]).tolist()
        return value, min(low, value), max(high, value)

    def to_json(self) -> bytes:
        """The model as a JSON file. Equal models, equal bytes."""
        content = {
            "format": FORMAT,
            "target": self.design.target,
            "powers": [asdict(power) for power in self.design.powers],
            "kinds": [asdict(kind) for kind in self.design.kinds],
            "assumed": [asdict(one) for one in self.design.assumed],
            "unit": self.unit,
            "terms": self.expression.terms,
            "constants": _rounded(self.expression),
            "draws": [_rounded(draw) for draw in self.draws],
            "ratio": list(self.ratio),
            "rows": self.rows,
            "error": self.error,
        }
        return (json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _rounded(expression: Expression) -> list[float]:
    return [float(f"{x:.{_DIGITS}g}") for x in expression.flat.tolist()]


def read_model(data: bytes, path: str) -> Model:
    """The model in a JSON file's bytes. Raises InputError where it is none."""
    try:
        content = json.loads(data)
    except ValueError as error:
        raise InputError(f"{path}: is no JSON: {error}; --use reads what --model has written") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f"{path}: is no {FORMAT} file; --use reads what --model has written")
    try:
        return _model(content)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: is damaged ({type(error).__name__}: {error}): fit the model again") from None


def _model(content: Mapping[str, Any]) -> Model:
    powers = tuple(
        Power(str(p["name"]), str(p["role"]), float(p["low"]), float(p["high"]), float(p["centre"]))
        for p in content["powers"]
    )
    kinds = tuple(Kind(str(k["name"]), tuple(map(str, k["levels"]))) for k in content["kinds"])
    assumed = tuple(Assumed(str(one["name"]), float(one["power"]), float(one["centre"])) for one in content["assumed"])
    design = Design(str(content["target"]), powers, kinds, assumed)
    terms, wide = int(content["terms"]), len(design.features)
    flats = [np.array(flat, np.float64) for flat in [content["constants"], *content["draws"]]]
    if terms < 1 or any(flat.shape != (1 + terms * (1 + wide),) or not np.isfinite(flat).all() for flat in flats):
        raise ValueError("the constants do not go with the columns")
    first, *draws = (Expression.of(flat, terms) for flat in flats)
    low, high = map(float, content["ratio"])
    if not all(
        value > 0
        for value in (
            low,
            high,
            float(content["unit"]),
            *(one.centre for one in powers),
            *(one.centre for one in assumed),
        )
    ):
        raise ValueError("a figure that must be above 0 is not")
    return Model(
        design, float(content["unit"]), first, tuple(draws), (low, high), int(content["rows"]), float(content["error"])
    )
