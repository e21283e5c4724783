"""What a part of the benchmark of predictions gives: figures, some of them with a mark to reach, and tables."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal


@dataclass(frozen=True)
class Figure:
    """One number, and what it was to be."""

    what: str
    value: float
    unit: str = "%"
    mark: float | None = None
    """None = nothing was asked."""
    stretch: float | None = None
    """What would be better still."""
    better: Literal["less", "more"] = "less"

    @property
    def reached(self) -> bool | None:
        """Whether the mark was reached; None without one. A figure that is no number reaches nothing."""
        return None if self.mark is None else self._at(self.mark)

    def __str__(self) -> str:
        """A line: the figure, the mark, reached or not."""
        said = f"{self.what}: {self.value:.4g} {self.unit}"
        if self.mark is None:
            return said
        sign = "<=" if self.better == "less" else ">="
        further = "" if self.stretch is None else f", stretch {self.stretch:g} {_word(self._at(self.stretch))}"
        return f"{said} ({sign} {self.mark:g} asked: {_word(self._at(self.mark))}{further})"

    def _at(self, mark: float) -> bool:
        if math.isnan(self.value):
            return False
        return self.value <= mark if self.better == "less" else self.value >= mark


@dataclass(frozen=True)
class Table:
    """Rows beneath a header."""

    title: str
    header: Sequence[str]
    rows: Iterable[Sequence[object]]

    def __str__(self) -> str:
        """Columns of equal width, numbers to the right."""
        cells = [list(map(str, self.header)), *([_cell(value) for value in row] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ("  ".join((row[0].ljust(widths[0]), *_right(row[1:], widths[1:]))).rstrip() for row in cells)
        return "\n".join((self.title, *(f"  {line}" for line in lines)))


Part = Callable[[Path], Iterator[Figure | Table | str]]
"""`report(perf)` of each module beside this one: what it found in the folder of measured data, as it is found."""


def _word(reached: bool) -> str:
    return "reached" if reached else "MISSED"


def _cell(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _right(cells: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    return (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
