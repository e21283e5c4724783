"""What of a table drives the time: columns whose powers count, kinds that count by a factor, and a target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pardnn.errors import InputError
from pardnn.fit.table import Table

Floats = NDArray[np.float64]
FEWEST = 8
_DEPENDENT = 1e-8
_LEAST = 1e-50
"""Assumed powers that change a time by less than this, or by more than its inverse, are typing errors."""
_LEVELS = 20
"""A text column with more kinds than this, or with more than half as many as there are rows, is a list of names."""
_POWERS = "powers need numbers above 0; if the column is a switch or a kind, name it in --categorical"


@dataclass(frozen=True)
class Power:
    """A column that counts by its powers."""

    name: str
    role: str
    """`intrinsic` (of the algorithm), `extrinsic` (of the machine and the scale), or "" where nobody said."""
    low: float
    high: float
    """The range of the rows that were learned from."""
    centre: float
    """The geometric mean of these rows: the fit counts from there."""


@dataclass(frozen=True)
class Kind:
    """A column of which each level but the first counts by a factor of its own in each product."""

    name: str
    levels: tuple[str, ...]


@dataclass(frozen=True)
class Assumed:
    """A column whose power is known beforehand: the whole time goes with it."""

    name: str
    power: float
    centre: float
    """The geometric mean of the rows that were learned from."""


@dataclass(frozen=True)
class Design:
    """The columns of an expression: its D features are the powers, then the levels of the kinds."""

    target: str
    powers: tuple[Power, ...]
    kinds: tuple[Kind, ...]
    assumed: tuple[Assumed, ...] = ()

    @property
    def features(self) -> tuple[str, ...]:
        """[D] their names; of a level `column=level`."""
        return (*(p.name for p in self.powers), *(f"{k.name}={level}" for k in self.kinds for level in k.levels[1:]))

    def encode(self, table: Table) -> Floats:
        """[n, D] log(value / centre) of the powers and 0 or 1 of the levels. Raises InputError."""
        columns = [np.log(table.positive(p.name, _POWERS) / p.centre) for p in self.powers]
        for kind in self.kinds:
            cells = _levels_of(table, kind.name)
            for line, cell in zip(table.lines, cells, strict=True):
                if cell not in kind.levels:
                    known = ", ".join(kind.levels[:8])
                    raise InputError(
                        f"{table.path}:{line}: column {kind.name!r}: {cell[:40]!r} is not among the kinds that were "
                        f"learned from: {known}"
                    )
            columns += [np.array([cell == level for cell in cells], np.float64) for level in kind.levels[1:]]
        return np.stack(columns, axis=1) if columns else np.empty((len(table.rows), 0))

    def scale(self, table: Table) -> Floats:
        """[n] what the time is multiplied by for the columns whose power is known. Raises InputError."""
        result = np.ones(len(table.rows))
        for one in self.assumed:
            with np.errstate(over="ignore", under="ignore"):
                result *= (table.positive(one.name, _POWERS) / one.centre) ** one.power
        if not ((result > _LEAST) & (result < 1 / _LEAST)).all():
            named = ", ".join(f"{one.name}={one.power:g}" for one in self.assumed)
            raise InputError(
                f"{table.path}: --assume {named}: makes times that no number can hold: choose smaller powers"
            )
        return result

    def outside(self, table: Table) -> list[list[str]]:
        """Per row the columns whose value is beyond the range that was learned from."""
        found: list[list[str]] = [[] for _ in table.rows]
        for power in self.powers:
            for row, value in zip(found, table.numbers(power.name).tolist(), strict=True):
                if not power.low <= value <= power.high:
                    row.append(power.name)
        return found


@dataclass(frozen=True)
class Asked:
    """Which columns the user named; None stands for the rest of the table."""

    target: str
    intrinsic: tuple[str, ...] | None = None
    extrinsic: tuple[str, ...] | None = None
    categorical: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    assume: tuple[tuple[str, float], ...] = ()
    """Columns with the power that is known of them."""


def design(table: Table, asked: Asked) -> tuple[Design, tuple[str, ...]]:
    """The design of a table and, a line each, what the user should know of it.

    Columns that say nothing (one value in all rows) or nothing new (a product of others) are left out with a word.
    Raises InputError for a column that is not there, is named twice, or holds what its role cannot use.
    """
    if len(table.rows) < FEWEST:
        raise InputError(
            f"{table.path}: {len(table.rows)} rows: at least {FEWEST} runs are needed to tell what drives them"
        )
    roles = _roles(table, asked)
    notes: list[str] = []
    powers, kinds = [], []
    for name, role in roles.items():
        if len(set(table.filled(name))) == 1 or (role != "kind" and len(set(table.numbers(name).tolist())) == 1):
            value = table.column(name)[0]
            notes.append(f"{table.path}: column {name!r} is {value} in all rows and tells nothing: left out")
        elif role == "kind":
            kinds.append(Kind(name, tuple(sorted(set(_levels_of(table, name)), key=_by_number))))
        else:
            values = table.positive(name, _POWERS)
            centre = float(np.exp(np.log(values).mean()))
            powers.append(Power(name, role, float(values.min()), float(values.max()), centre))
    if not powers and not kinds:
        raise InputError(f"{table.path}: no column is left that could drive {asked.target!r}: all are constant")
    assumed = tuple(
        Assumed(name, power, float(np.exp(np.log(table.positive(name, _POWERS)).mean())))
        for name, power in asked.assume
    )
    found = Design(asked.target, tuple(powers), tuple(kinds), assumed)
    while double := _dependent(found.encode(table), len(found.powers), found.features):
        extra, others = double
        listed = ", ".join(repr(name) for name in others)
        notes.append(f"{table.path}: column {found.features[extra]!r} follows from {listed} in all rows: left out")
        found = replace(found, powers=(*found.powers[:extra], *found.powers[extra + 1 :]))
    return found, tuple(notes)


def target_of(table: Table, target: str) -> Floats:
    """[n] what is to be predicted. Raises InputError where it is not above 0, or the same in all rows."""
    values = table.positive(target, "what is predicted must be above 0, for errors are relative to it")
    if len(set(values.tolist())) == 1 and len(values) > 1:
        raise InputError(f"{table.path}: column {target!r} is {values[0]:g} in all rows: there is nothing to explain")
    return values


def _roles(table: Table, asked: Asked) -> dict[str, str]:
    """Column -> `intrinsic`, `extrinsic`, "" or `kind`, in the table's order."""
    named = {"--intrinsic": asked.intrinsic or (), "--extrinsic": asked.extrinsic or ()}
    named |= {"--categorical": asked.categorical, "--ignore": asked.ignore, "--target": (asked.target,)}
    named["--assume"] = tuple(name for name, _ in asked.assume)
    owner: dict[str, str] = {}
    for by, names in named.items():
        for name in names:
            table.position(name)
            if name in owner:
                raise InputError(f"{table.path}: column {name!r} is named by {owner[name]} and by {by}: choose one")
            owner[name] = by
    roles = {}
    for name in table.names:
        option = owner.get(name, "")
        if option in ("--intrinsic", "--extrinsic"):
            roles[name] = option[2:]
        elif option == "--categorical":
            roles[name] = "kind"
        elif not option and asked.intrinsic is None and asked.extrinsic is None:
            roles[name] = "kind" if _is_kind(table, name) else ""
    return roles


def _is_kind(table: Table, name: str) -> bool:
    """Whether a column that nobody named holds kinds. Raises InputError where it holds text of another sort."""
    if not table.is_text(name):
        return False
    levels, rows = len(set(table.column(name))), len(table.rows)
    if levels > min(_LEVELS, rows / 2):
        raise InputError(
            f"{table.path}: column {name!r} holds text, {levels} sorts in {rows} rows: --ignore it, or name it in "
            "--categorical if each is a kind of its own"
        )
    return True


def _levels_of(table: Table, name: str) -> list[str]:
    return table.filled(name)


def _by_number(level: str) -> tuple[int, float, str]:
    """Order of levels: numbers by size, then texts."""
    try:
        return 0, float(level), level
    except ValueError:
        return 1, 0.0, level


def _dependent(features: Floats, powers: int, names: Sequence[str]) -> tuple[int, list[str]] | None:
    """A power that is a product of powers of the others in all rows, and these; None where there is none.

    It is the one that stands alone on its side of the equation: of gpus = hosts * cards, gpus; of two, the second.
    """
    centred = features - features.mean(axis=0)
    scale = np.linalg.norm(centred, axis=0)
    _, sizes, axes = np.linalg.svd(centred / scale, full_matrices=True)
    sizes = np.concatenate([sizes, np.zeros(len(axes) - len(sizes))])
    if sizes[-1] > _DEPENDENT * max(sizes[0], 1e-300):
        return None
    weight = axes[-1] / scale
    part = [i for i in range(len(weight)) if abs(weight[i] * scale[i]) > 1e-6]
    free = [i for i in part if i < powers]
    if not free:
        columns = sorted({names[i].partition("=")[0] for i in part})
        raise InputError(f"the kinds of {', '.join(map(repr, columns))} always go together: --ignore one of them")
    alone = [i for i in free if all(weight[i] * weight[j] < 0 for j in part if j != i)]
    extra = alone[0] if len(alone) == 1 else free[-1]
    return extra, [names[i] for i in part if i != extra]
