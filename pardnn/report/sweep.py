"""A sweep in a few lines: each method over all graphs and machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.text import Text

from pardnn.report.layout import table
from pardnn.report.words import count, percent

_HEADS = ("method", "placements", "over best", "at worst", "speed-up", "best in")


class MethodLine(NamedTuple):
    """What a method did in all cells where it has a placement; means are geometric."""

    method: str
    placements: int
    over_best: float
    worst: float
    speed_up: float
    best_in: int


def sweep_report(lines: Sequence[MethodLine], status: Mapping[str, int], kept: int) -> RenderableType:
    """A row per method, and below it how the cells ended."""
    rows = [
        (
            line.method, f"{line.placements:,}", percent(line.over_best - 1), percent(line.worst - 1),
            f"{line.speed_up:.2f} x", f"{line.best_in:,}",
        )
        for line in lines
    ]  # fmt: skip
    ended = ", ".join(f"{number:,} {how}" for how, number in status.items())
    there = f"; {kept:,} were there" if kept else ""
    cells = Text(f"{count(sum(status.values()), 'cell')}: {ended}{there}")
    return Group(table(_HEADS, rows, left=("method",)), cells) if rows else cells
