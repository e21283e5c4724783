"""The generic model on vTrain's runs: 80 % of the single-host ones teach, 20 % judge; then the multi-host ones."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pardnn.answers.runs import split
from pardnn.fit.baseline import linear, mape
from pardnn.fit.design import Asked
from pardnn.fit.fitting import Fitted, fit, plain_features
from pardnn.fit.table import Table as Runs
from pardnn.fit.table import parse_table
from pardnn.fit.words import explain
from scripts.prediction.figures import Figure, Table

SEED, HELD_OUT = 0, 0.2
"""Of the split, fixed before the first fit."""
TARGET = "iteration time (ms)"
ASKED = Asked(
    TARGET,
    intrinsic=("hidden size", "# layers"),
    extrinsic=("global batch", "micro batch", "tensor parallelism", "data parallelism", "pipeline parallelism"),
)
_MARK, _TWO_PRODUCTS, _ONE_PRODUCT = 6.0, 7.1, 14.7


def report(perf: Path) -> Iterator[Figure | Table | str]:
    """Errors on rows that were never seen, by the number of products, beside a straight line's."""
    runs, several = (_read(perf / "vtrain" / f"ground_truth_{name}.csv") for name in ("single", "multi"))
    learned, test = split(runs, held_out(len(runs.rows)), "the split")
    started = time.process_time()
    fitted = fit(learned, ASKED)
    took = time.process_time() - started
    model = fitted.model
    yield f"{len(learned.rows)} runs to learn from, {len(test.rows)} to judge (seed {SEED}), {took:.0f} s of processor"
    yield Figure("test MAPE", 100 * _error(fitted, test), mark=_MARK)
    yield Figure("test median", 100 * float(np.median(_errors(fitted, test))))
    yield Figure("test rows within their 90 % interval", 100 * _within(fitted, test), mark=90.0, better="more")
    yield Figure("cross-validation inside the 80 %", 100 * model.error)
    yield Figure("straight line, test MAPE", 100 * _straight(fitted, learned, test))
    rows = [(k, 100 * by, published) for k, (by, published) in enumerate(
        zip(fitted.by_terms, [f"{_ONE_PRODUCT}", f"{_TWO_PRODUCTS}", *[""] * len(fitted.by_terms)], strict=False), 1
    )]  # fmt: skip
    yield Table(
        f"products, {model.expression.terms} chosen", ("products", "cross-validation %", "test, before us %"), rows
    )
    effects = [
        (row["column"], row["times"], row["low"], row["high"]) for row in explain(model, model.design.encode(learned))
    ]
    yield Table("doubling it multiplies the time by", ("column", "times", "low", "high"), effects)
    yield from _beyond(fitted, learned, several)


def held_out(rows: int) -> list[int]:
    """The rows that judge: a fifth, drawn by the seed."""
    drawn = np.random.default_rng(SEED).permutation(rows)
    return sorted(drawn[rows - round(HELD_OUT * rows) :].tolist())


def _beyond(fitted: Fitted, learned: Runs, several: Runs) -> Iterator[Figure | Table | str]:
    """Runs on 64 to 512 GPUs: larger in every column than what was learned from, and of twice the sequence length."""
    target, value = several.numbers(TARGET), fitted.model.predict(several).value
    yield Figure(f"extrapolated to {len(target)} multi-host runs, MAPE", 100 * mape(value, target))
    yield Figure("the same, median of predicted / measured", float(np.median(value / target)), "x")
    yield Figure("the same, within their 90 % interval", 100 * _within(fitted, several))
    yield Figure("the same by a straight line, MAPE", 100 * _straight(fitted, learned, several))
    few = [(k, 100 * mape(fit(learned, ASKED, k).model.predict(several).value, target)) for k in (1, 2, 3)]
    yield Table("the same by number of products", ("products", "MAPE %"), few)
    known = replace(ASKED, assume=(("sequence length", 1.0),))
    told = fit(learned, known).model.predict(several)
    yield Figure("the same, told that the time goes with the sequence length, MAPE", 100 * mape(told.value, target))
    within = (told.low <= target) & (target <= told.high)
    yield Figure("the same, within their 90 % interval", 100 * float(within.mean()))
    yield "The sequence length is 1024 in every run learned from and 2048 in these: no fit can know what that does."


def _read(path: Path) -> Runs:
    return parse_table(path.read_bytes(), path.name)


def _errors(fitted: Fitted, rows: Runs) -> NDArray[np.float64]:
    return np.abs(fitted.model.predict(rows).value / rows.numbers(TARGET) - 1)


def _error(fitted: Fitted, rows: Runs) -> float:
    return float(_errors(fitted, rows).mean())


def _within(fitted: Fitted, rows: Runs) -> float:
    found, target = fitted.model.predict(rows), rows.numbers(TARGET)
    return float(((found.low <= target) & (target <= found.high)).mean())


def _straight(fitted: Fitted, learned: Runs, rows: Runs) -> float:
    """The straight line's error on the same columns."""
    known, new = (plain_features(fitted.model, table) for table in (learned, rows))
    return mape(linear(known, learned.numbers(TARGET), new), rows.numbers(TARGET))
