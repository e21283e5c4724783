"""What drives the time of runs: a fitted model's figures by name, its predictions, its errors on new rows."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pardnn.errors import InputError
from pardnn.fit.baseline import linear, mape
from pardnn.fit.fitting import Fitted, plain_features
from pardnn.fit.model import Model, Prediction
from pardnn.fit.table import Table, number
from pardnn.fit.words import constant, explain, formula, terms

ADDED = ("predicted", "low", "high")
_NAMED = 3


def split(table: Table, listed: Sequence[int], path: str) -> tuple[Table, Table]:
    """(rows to learn from, the rows of these numbers). Raises InputError for a number that the table does not have."""
    n = len(table.rows)
    if wrong := [i for i in listed if i >= n]:
        raise InputError(f"{path}: row {wrong[0]} is not in {table.path}, whose rows are 0 to {n - 1}")
    out = set(listed)
    if len(out) == n:
        raise InputError(f"{path}: lists all {n} rows of {table.path}: none is left to learn from")
    return table.take([i for i in range(n) if i not in out]), table.take(listed)


def row_numbers(data: bytes) -> list[int] | None:
    """The numbers in a file that holds nothing else, one a line, perhaps under a line `row` or `index`."""
    try:
        lines = [line.strip() for line in data.decode("utf-8-sig").splitlines()]
    except UnicodeDecodeError:
        return None
    lines = [line for line in lines if line]
    if lines and lines[0].lower() in ("row", "rows", "index"):
        lines = lines[1:]
    return [int(line) for line in lines] if lines and all(line.isdecimal() for line in lines) else None


def fit_result(fitted: Fitted, learned: Table) -> dict[str, Any]:
    """Every figure of a fit by name, ready for JSON; errors are ratios."""
    model, features = fitted.model, fitted.model.design.encode(learned)
    return {
        "format": "pardnn-fit-result/1",
        "target": model.design.target,
        "rows": model.rows,
        "columns": list(model.design.features),
        "terms": terms(model, features),
        "constant": constant(model),
        "formula": formula(model),
        "effects": explain(model, features),
        "fit_mape": _six(fitted.fit_error),
        "linear_fit_mape": _six(fitted.linear_error),
        "cross_validation_mape": _six(model.error),
        "by_terms": [_six(error) for error in fitted.by_terms],
        "test_mape": _six(model.error),
        "test_on": "cross-validation",
        "draws": len(model.draws),
        "warnings": list(fitted.notes),
        "outputs": [],
    }


def scored(model: Model, learned: Table | None, new: Table, found: Prediction) -> dict[str, Any]:
    """What the predictions of new rows are worth, where the rows say what was measured; {} where they do not."""
    if not _measured(new, model.design.target):
        return {}
    target = new.positive(model.design.target, "errors are relative to it: leave the column out to predict only")
    error = np.abs(found.value / target - 1)
    within = (found.low <= target) & (target <= found.high)
    result = {
        "test_mape": _six(float(error.mean())),
        "test_median": _six(float(np.median(error))),
        "test_worst": _six(float(error.max())),
        "test_on": f"{len(target)} test rows",
        "test_within_interval": _six(float(within.mean())),
    }
    if learned is not None:
        known = learned.numbers(model.design.target)
        straight = linear(plain_features(model, learned), known, plain_features(model, new))
        result["linear_test_mape"] = _six(mape(straight, target))
    return result


def doubts(model: Model, learned: Table | None, new: Table, found: Prediction) -> list[str]:
    """What speaks against trusting the predictions: rows beyond what was learned from, rows that were learned from."""
    notes = []
    beyond = [row for row in found.outside if row]
    if beyond:
        columns = sorted({name for row in beyond for name in row})
        named = ", ".join(
            f"{power.name} {power.low:g} to {power.high:g}" for power in model.design.powers if power.name in columns
        )
        notes.append(
            f"{new.path}: {len(beyond)} of {len(found.value)} rows are beyond what was learned from ({named}): their "
            "predictions are extrapolated and may be far off"
        )
    if learned is not None and _measured(new, model.design.target):
        both = [name for name in learned.names if name in new.names]
        seen = set(zip(*(learned.column(name) for name in both), strict=True))
        again = sum(row in seen for row in zip(*(new.column(name) for name in both), strict=True))
        if again:
            notes.append(f"{new.path}: {again} of its rows were learned from too: the error on them is no test")
    return notes + _held_still(learned, new, model)


def _held_still(learned: Table | None, new: Table, model: Model) -> list[str]:
    """Columns that were one number in all rows that were learned from, and are another here."""
    notes = []
    known = {model.design.target, *model.design.features, *(one.name for one in model.design.assumed)}
    for name in learned.names if learned is not None else ():
        if name in new.names and name not in known:
            there, here = (
                {value for value in map(number, t.column(name)) if value is not None}
                for t in (learned, new)
                if t is not None
            )
            if len(there) == 1 and here - there:
                values = ", ".join(f"{value:g}" for value in sorted(here - there)[:_NAMED])
                says = f"; --assume {name}=POWER says it" if min(here | there) > 0 else ""
                notes.append(
                    f"{new.path}: column {name!r} was {there.pop():g} in all rows that were learned from, here it is "
                    f"{values}: what that does to the time is not known{says}"
                )
    return notes


def predictions(new: Table, found: Prediction) -> bytes:
    """The rows as CSV with what is predicted, its 90 % interval, and the columns that are beyond what was learned."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    added = [name if name not in new.names else f"{name} (fit)" for name in (*ADDED, "outside")]
    writer.writerow((*new.names, *added))
    for row, value, low, high, outside in zip(
        new.rows, *map(_digits, (found.value, found.low, found.high)), found.outside, strict=True
    ):
        writer.writerow((*row, value, low, high, "; ".join(outside)))
    return text.getvalue().encode()


def _measured(new: Table, target: str) -> bool:
    return target in new.names and any(new.column(target))


def _digits(values: NDArray[np.float64]) -> list[str]:
    return [f"{value:.7g}" for value in values.tolist()]


def _six(value: float) -> float | None:
    return None if math.isnan(value) else float(f"{value:.6g}")
