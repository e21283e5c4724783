"""A table of costs per op (CSV), as measured or edited by hand.

Columns, in any order, by the header line: `op`, `time_us` (of one run), and perhaps `output_bytes`, `temp_bytes`,
`resident_bytes`. An empty cell says nothing; other columns are ignored.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pardnn.errors import InputError

_NUMBERS = ("time_us", "output_bytes", "temp_bytes", "resident_bytes")
_LARGEST = 1e15


@dataclass(frozen=True, slots=True)
class Row:
    """What the table says of one op; None = nothing."""

    line: int
    time_ns: int | None
    output_bytes: int | None
    temp_bytes: int | None
    resident_bytes: int | None


def plain_name(name: str) -> str:
    """The op's name without what tools add to it: "^x", "x:0", surrounding blanks, case.

    >>> plain_name("^Dense/MatMul:0")
    'dense/matmul'
    """
    name = name.strip().removeprefix("^")
    head, colon, port = name.rpartition(":")
    return (head if colon and port.isdecimal() else name).casefold()


@dataclass(frozen=True)
class CostTable:
    """Rows by name as written, and by plain name where only one row has it."""

    path: str
    rows: Mapping[str, Row]
    plain: Mapping[str, tuple[str, ...]]

    def find(self, name: str) -> str | None:
        """The row's name for an op: the very name, else the one row whose plain name is the same.

        Raises InputError where several rows would do.
        """
        if name in self.rows:
            return name
        alike = self.plain.get(plain_name(name), ())
        if len(alike) > 1:
            lines = " and ".join(str(self.rows[other].line) for other in alike[:2])
            raise InputError(f"{self.path}: lines {lines} both name op {name!r}; keep one")
        return alike[0] if alike else None


def read_costs(path: str) -> CostTable:
    """The table in a file. Raises InputError naming the file and the line of whatever is wrong."""
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            rows = _rows(csv.reader(file, strict=True), path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: not a CSV file: {error}") from None
    plain: dict[str, tuple[str, ...]] = {}
    for name in rows:
        plain[plain_name(name)] = (*plain.get(plain_name(name), ()), name)
    return CostTable(path, rows, plain)


def _rows(lines: Iterator[list[str]], path: str) -> dict[str, Row]:
    header = [column.strip() for column in next(lines, [])]
    if "op" not in header or "time_us" not in header:
        raise InputError(f"{path}: line 1: the header must name the columns op and time_us")
    place = {name: header.index(name) for name in ("op", *_NUMBERS) if name in header}
    rows: dict[str, Row] = {}
    for line, cells in enumerate(lines, start=2):
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            raise InputError(f"{path}: line {line}: {len(cells)} cells where the header has {len(header)}")
        name = cells[place["op"]].strip()
        if name in rows:
            raise InputError(f"{path}: line {line}: op {name!r} stands on line {rows[name].line} already")
        values = [_number(cells[place[c]], path, line, c) if c in place else None for c in _NUMBERS]
        time_us, *sizes = values
        time_ns = None if time_us is None else math.floor(time_us * 1000 + 0.5)
        rows[name] = Row(line, time_ns, *(None if s is None else math.floor(s + 0.5) for s in sizes))
    return rows


def _number(text: str, path: str, line: int, column: str) -> float | None:
    text = text.strip()
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= _LARGEST:
        raise InputError(f"{path}: line {line}: {column}: {text!r} is not a number from 0 to {_LARGEST:.0e}")
    return value
