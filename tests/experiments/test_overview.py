"""A sweep as its report shows it."""

from __future__ import annotations

from pathlib import Path

from pardnn.config import Options
from pardnn.experiments.cell import Cell
from pardnn.experiments.outcome import Outcome
from pardnn.experiments.overview import overview
from pardnn.experiments.sweep import Swept


def test_cells_without_a_placement_are_told_apart_by_what_varies() -> None:
    failed = Outcome("", "does not fit", "too large")
    options = [Options(method="heft", gpus=2, mem=mem, hosts=1) for mem in ("1GB", "2GB")]
    pairs = [(Cell.of("g", Path(), asked, lambda _: ("", 0)), failed) for asked in options]
    assert overview(Swept(pairs, 0, ())).failures == [
        ("g, heft, 2 on pcie3, mem 1GB", "too large"),
        ("g, heft, 2 on pcie3, mem 2GB", "too large"),
    ]
    assert overview(Swept(pairs[:1], 0, ())).failures == [("g, heft, 2 on pcie3", "too large")]
