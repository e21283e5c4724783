"""A table of runs as it stands in a CSV file: named columns, cells as text, each row with its line."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
from numpy.typing import NDArray

from pardnn.errors import InputError, one_line

_DELIMITERS = ",;\t"
_SMALLEST, _LARGEST = 1e-100, 1e100
"""Powers and relative errors of what is beyond these leave what a float holds."""
_MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "-", "?"})


@dataclass(frozen=True)
class Table:
    """The cells of a file, row by row."""

    path: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    """The line of the file that each row begins on; the first is 1."""

    def column(self, name: str) -> list[str]:
        """A column's cells, without blanks around them. Raises InputError where there is none of that name."""
        at = self.position(name)
        return [row[at] for row in self.rows]

    def position(self, name: str) -> int:
        """Which column has the name. Raises InputError."""
        if name in self.names:
            return self.names.index(name)
        close = get_close_matches(name, self.names, 1, 0.5)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        there = ", ".join(repr(known) for known in self.names[:12]) + (", ..." if len(self.names) > 12 else "")
        raise InputError(f"{self.path}:1: no column {name!r}{hint}; there are: {there}")

    def filled(self, name: str) -> list[str]:
        """A column's cells, none of which is empty. Raises InputError."""
        cells = self.column(name)
        for line, cell in zip(self.lines, cells, strict=True):
            if cell.lower() in _MISSING:
                raise InputError(
                    f"{self.path}:{line}: column {name!r} has no value ({cell!r}): fill it in, or take the row out"
                )
        return cells

    def numbers(self, name: str) -> NDArray[np.float64]:
        """[n] a column as numbers. Raises InputError that names the line of the first cell that is none."""
        cells = self.filled(name)
        values = np.empty(len(cells))
        for i, (line, cell) in enumerate(zip(self.lines, cells, strict=True)):
            value = number(cell)
            if value is None:
                raise InputError(
                    f"{self.path}:{line}: column {name!r}: {cell[:40]!r} is no number: mend it, or, if the column "
                    "holds kinds and not sizes, name it in --categorical"
                )
            values[i] = value
        return values

    def positive(self, name: str, why: str) -> NDArray[np.float64]:
        """[n] a column as numbers above 0, none of them absurd. Raises InputError."""
        values = self.numbers(name)
        for line, value in zip(self.lines, values.tolist(), strict=True):
            if value <= 0:
                raise InputError(f"{self.path}:{line}: column {name!r} is {value:g}: {why}")
            if not _SMALLEST <= value <= _LARGEST:
                raise InputError(
                    f"{self.path}:{line}: column {name!r} is {value:g}: not from {_SMALLEST:g} to {_LARGEST:g}: "
                    "mend it, or choose another unit"
                )
        return values

    def is_text(self, name: str) -> bool:
        """Whether no cell of the column that has a value is a number."""
        cells = [cell for cell in self.column(name) if cell.lower() not in _MISSING]
        return bool(cells) and all(number(cell) is None for cell in cells)

    def take(self, rows: Sequence[int]) -> Table:
        """The same table with these of its rows."""
        return Table(self.path, self.names, tuple(self.rows[i] for i in rows), tuple(self.lines[i] for i in rows))


def number(cell: str) -> float | None:
    """The number that a cell holds; None where it holds none, or one that is not finite.

    >>> number("1.5e3"), number("1,5"), number("inf"), number("1_000")
    (1500.0, None, None, None)
    """
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) and "_" not in cell else None


def parse_table(data: bytes, path: str) -> Table:
    """The table in a CSV file's bytes: a line of names, then a row a line; commas, semicolons or tabs between cells.

    Raises InputError: not UTF-8 text, empty, no rows, a name that is missing or there twice, a row of another length.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is no UTF-8 text: save the table as CSV in UTF-8") from None
    if not text.strip():
        raise InputError(f"{path}: is empty: a table has a line of column names and then a row a line")
    head = text.lstrip("\r\n").splitlines()[0]
    delimiter = max(_DELIMITERS, key=lambda sign: (head.count(sign), -_DELIMITERS.index(sign)))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names: tuple[str, ...] = ()
    rows, lines, begins = [], [], 1
    try:
        for cells in reader:
            line, begins = begins, reader.line_num + 1
            if not any(cell.strip() for cell in cells):
                continue
            row = tuple(cell.strip() for cell in cells)
            if not names:
                names = _header(row, path, line)
                continue
            if len(row) != len(names):
                raise InputError(
                    f"{path}:{line}: has {len(row)} cells where the table has {len(names)} columns: is a "
                    f"{delimiter!r} missing, or one too many?"
                )
            rows.append(row)
            lines.append(line)
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: is no CSV: {one_line(error)}") from None
    if not rows:
        raise InputError(f"{path}: has column names but no rows")
    return Table(path, names, tuple(rows), tuple(lines))


def _header(names: tuple[str, ...], path: str, line: int) -> tuple[str, ...]:
    for i, name in enumerate(names):
        if not name:
            raise InputError(f"{path}:{line}: column {i + 1} has no name")
        if name in names[:i]:
            raise InputError(f"{path}:{line}: two columns are called {name!r}: rename one, or take it out")
    if all(number(name) is not None for name in names):
        raise InputError(f"{path}:{line}: the first line holds numbers: put the names of the columns above it")
    return names
