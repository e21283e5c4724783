"""A table of costs per op, as measured, estimated or edited by hand; CSV or JSON, told apart by content.

CSV: columns, in any order, by the header line: `op`, `time_us` (of one run), and perhaps `output_bytes`, `temp_bytes`,
`resident_bytes`, `source`, `runs`, `op_type`. An empty cell says nothing; other columns are ignored.
JSON: {"op": {"time_us": 1.5, "output_bytes": 400, ...}, ...} with the same names; null says nothing.

`source` says where a time comes from; what is not one of `SOURCES` counts as measured. `runs` and `op_type` are of what
was traced: how often it ran in a step, and as what kernel.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from pardnn.cost.record import SOURCES, Source
from pardnn.errors import InputError

NUMBERS = ("time_us", "output_bytes", "temp_bytes", "resident_bytes")
_LARGEST = 1e15


@dataclass(frozen=True, slots=True)
class Row:
    """What the table says of one op; None = nothing."""

    place: str
    """Where it stands: "line 3"."""
    time_ns: int | None
    output_bytes: int | None
    temp_bytes: int | None
    resident_bytes: int | None
    source: Source = "measured"
    runs: float | None = None
    """How often it ran in the step that was traced; None = this is no trace, and the time is that of any run."""
    op_type: str = ""
    """What ran, "" = nothing says. A fused kernel has a type of its own."""


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

    def __str__(self) -> str:
        """As `--costs` names it."""
        return f"measured:{self.path}"

    @cached_property
    def plain(self) -> Mapping[str, tuple[str, ...]]:
        """The names as written by their plain names."""
        found: dict[str, tuple[str, ...]] = {}
        for name in self.rows:
            found[plain_name(name)] = (*found.get(plain_name(name), ()), name)
        return found

    def find(self, name: str) -> str | None:
        """The row's name for an op: the very name, else the one row whose plain name is the same.

        Raises InputError where several rows would do.
        """
        if name in self.rows:
            return name
        alike = self.plain.get(plain_name(name), ())
        if len(alike) > 1:
            places = " and ".join(self.rows[other].place for other in alike[:2])
            raise InputError(f"{self.path}: {places} both name op {name!r}; keep one")
        return alike[0] if alike else None


def read_costs(path: str) -> CostTable:
    """The table in a file. Raises InputError naming the file and the line of whatever is wrong."""
    try:
        text = Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: neither a CSV nor a JSON file: {error}") from None
    try:
        rows = _members(text, path) if text.lstrip().startswith("{") else _lines(text, path)
    except csv.Error as error:
        raise InputError(f"{path}: not a CSV file: {error}") from None
    return CostTable(path, rows)


def _lines(text: str, path: str) -> dict[str, Row]:
    """The rows of a CSV."""
    lines: Iterator[list[str]] = csv.reader(io.StringIO(text, newline=""), strict=True)
    header = [column.strip() for column in next(lines, [])]
    if "op" not in header or "time_us" not in header:
        raise InputError(f"{path}: line 1: the header must name the columns op and time_us")
    known = ("op", "source", "runs", "op_type", *NUMBERS)
    if twice := [name for name in known if header.count(name) > 1]:
        raise InputError(f"{path}: line 1: two columns are called {twice[0]}: rename one, or take it out")
    place = {name: header.index(name) for name in known if name in header}
    rows: dict[str, Row] = {}
    for line, cells in enumerate(lines, start=2):
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            raise InputError(f"{path}: line {line}: {len(cells)} cells where the header has {len(header)}")
        said = {name: cells[at].strip() for name, at in place.items()}
        name = said["op"]
        if name in rows:
            raise InputError(f"{path}: line {line}: op {name!r} stands on {rows[name].place} already")
        rows[name] = _row(f"line {line}", {key: value or None for key, value in said.items()}, path)
    return rows


def _members(text: str, path: str) -> dict[str, Row]:
    """The rows of a JSON object."""
    try:
        members = json.loads(text, object_pairs_hook=tuple)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}: line {error.lineno}: no valid JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: no valid JSON: {str(error).splitlines()[0]}") from None
    rows: dict[str, Row] = {}
    for name, said in members:
        if not isinstance(said, tuple):
            raise InputError(f'{path}: op {name!r}: costs are an object, as in {{"{name[:40]}": {{"time_us": 1.5}}}}')
        if name in rows:
            raise InputError(f"{path}: op {name!r} stands there twice")
        rows[name] = _row(f"op {name!r}", dict(said), path)
    if not rows:
        raise InputError(f"{path}: names no op")
    return rows


def _row(place: str, said: Mapping[str, Any], path: str) -> Row:
    time_us, *sizes, runs = (_number(said.get(column), f"{path}: {place}: {column}") for column in (*NUMBERS, "runs"))
    time_ns = None if time_us is None else math.floor(time_us * 1000 + 0.5)
    source = said.get("source")
    known = cast(Source, source) if source in SOURCES else "measured"
    output, temp, resident = (None if size is None else math.floor(size + 0.5) for size in sizes)
    return Row(place, time_ns, output, temp, resident, known, runs, str(said.get("op_type") or ""))


def _number(said: Any, where: str) -> float | None:
    """What a cell says, a text or a number of JSON."""
    if said is None:
        return None
    try:
        value = math.nan if isinstance(said, bool | tuple | list) else float(said)
    except (ValueError, OverflowError):
        value = math.nan
    if not 0 <= value <= _LARGEST:
        raise InputError(f"{where}: {str(said)[:40]!r} is not a number from 0 to {_LARGEST:.0e}")
    return value
