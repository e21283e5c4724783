"""The whole method: a table in, the fitted model and what is to be known of it out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pardnn.errors import InputError
from pardnn.fit.baseline import linear, mape
from pardnn.fit.choose import Tell, choose_terms
from pardnn.fit.design import FEWEST, Asked, Floats, design, target_of
from pardnn.fit.evolve import Late
from pardnn.fit.grow import grow
from pardnn.fit.model import ROW_LEVEL, Model
from pardnn.fit.resample import resample
from pardnn.fit.table import Table

MOST_TERMS = 8
DRAWS = 200
_ROWS_PER_CONSTANT = 3


@dataclass(frozen=True, eq=False)
class Fitted:
    """A model with its errors, as ratios."""

    model: Model
    fit_error: float
    """Of the rows it was fitted to."""
    by_terms: tuple[float, ...]
    """In cross-validation, by number of products from 1 on."""
    linear_error: float
    """Of ordinary least squares on the same columns, among the rows fitted to."""
    notes: tuple[str, ...]


def fit(
    table: Table,
    asked: Asked,
    terms: int | None = None,
    seed: int = 0,
    late: Late = lambda: False,
    tell: Tell = lambda *_: None,
) -> Fitted:
    """The model of a table: `terms` products, or as many as cross-validation says (None).

    Everything that is drawn comes from `seed`: same table, same answer, unless `late` cut it short. Raises InputError.
    """
    made, notes = design(table, asked)
    features, measured = made.encode(table), target_of(table, asked.target)
    most = _most_terms(table, len(measured), features.shape[1], terms)
    free = measured / made.scale(table)
    unit = float(np.exp(np.log(free).mean()))
    target = free / unit
    choice = choose_terms(features, target, terms, most, seed, late, tell)
    rng = np.random.default_rng([seed, 3])

    def say(number: int) -> None:
        tell(0.6 + 0.1 * (number - 1) / choice.terms, f"all rows: {number} of {choice.terms} products")

    *_, found = grow(features, target, choice.terms, rng, late, say)
    draws = resample(found, features, target, DRAWS, seed, late, tell)
    ends = np.quantile(choice.ratio, [(1 - ROW_LEVEL) / 2, (1 + ROW_LEVEL) / 2]).tolist()
    ratio = (min(ends[0], 1.0), max(ends[1], 1.0))
    error = choice.error[choice.terms - 1]
    model = Model(made, unit, found, tuple(draws), ratio, len(target), error)
    straight = plain_features(model, table)
    return Fitted(
        model, mape(found(features), target), choice.error, mape(linear(straight, measured, straight), measured), notes
    )


def plain_features(model: Model, table: Table) -> Floats:
    """[n, D] the model's columns as they stand, for a straight line: no logarithms."""
    features = model.design.encode(table)
    powers = len(model.design.powers)
    centre = np.array([power.centre for power in model.design.powers])
    return np.concatenate([np.exp(features[:, :powers]) * centre, features[:, powers:]], axis=1)


def _most_terms(table: Table, rows: int, columns: int, asked: int | None) -> int:
    """How many products so many rows can tell apart. Raises InputError where it is none, or fewer than asked."""
    per_term = columns + 1
    need = max(FEWEST, columns + 4)
    if rows < need:
        raise InputError(
            f"{table.path}: {rows} rows for {columns} columns: at least {need} are needed to find a power for each; "
            "add runs, or name fewer columns with --intrinsic and --extrinsic"
        )
    most = max(1, (rows // _ROWS_PER_CONSTANT - 1) // per_term)
    if asked is not None and asked > most:
        raise InputError(
            f"{table.path}: --terms {asked} with {columns} columns are {1 + asked * per_term} constants, too many for "
            f"{rows} rows: {most} at most"
        )
    return min(most, MOST_TERMS)
