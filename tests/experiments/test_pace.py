"""How long a sweep will go on, by an invented clock."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from pardnn.config import Options
from pardnn.experiments.cell import Cell
from pardnn.experiments.outcome import Outcome
from pardnn.experiments.pace import Pace


def test_larger_graphs_count_as_more_work() -> None:
    first = Cell.of("g", Path(), Options(), lambda _: ("", 100))
    second = replace(first, graph="h", size=300)
    now = [0.0]
    pace = Pace([first, second], 4, lambda: now[0])
    assert pace.line == "4 of 6 cells (4 were there)"
    now[0] = 10.0
    pace.came(Outcome(first.key, "done"))
    assert pace.line == "5 of 6 cells (4 were there), about 30 s left"
    pace.came(Outcome(second.key, "does not fit", "too large"))
    assert pace.line == "6 of 6 cells (4 were there), 1 without a placement"
