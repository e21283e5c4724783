"""The pages of several results: their lines are drawn, at both widths."""

from __future__ import annotations

from pathlib import Path

import pytest

from pardnn.report.html.fit import fit_page
from pardnn.report.html.origin import Origin
from pardnn.report.html.sweep import Overview, sweep_page
from pardnn.report.sweep import MethodLine
from tests.browser.conftest import Open
from tests.browser.test_report import PAINTED

pytestmark = pytest.mark.browser
ORIGIN = Origin("pardnn", [("seed", "0")], {"pardnn": "1"})


def swept() -> bytes:
    speed_ups = {"pcie3": {f"method {m}": {2: 1.5 + m / 10, 4: 2.5 + m / 7, 8: 3 + m / 3} for m in range(10)}}
    over_best = {"net": {f"method {m}": 1 + m / 10 for m in range(10)}, "</script>": {"method 0": 1.0}}
    lines = [MethodLine(f"method {m}", 3, 1 + m / 10, 1 + m / 5, 2.0, 1) for m in range(10)]
    return sweep_page("many.toml", Overview(lines, {"done": 30}, speed_ups, over_best, [("x", "too <big>")]), ORIGIN)


def fitted() -> bytes:
    figure = {"value": 1.0, "low": 0.9, "high": 1.1}
    effect = {
        "column": "layers",
        "role": "intrinsic",
        "times": 2.0,
        "low": 1.9,
        "high": 2.1,
        "words": "doubling: twice",
    }
    found = {
        "target": "time", "rows": 30, "columns": ["layers"], "test_on": "cross-validation", "test_mape": 0.031,
        "effects": [effect], "constant": figure, "warnings": ["careful"],
        "terms": [{"share": 0.8, "factor": figure, "powers": {"layers": figure}, "levels": {}}],
    }  # fmt: skip
    measured = [1.0 * n for n in range(1, 31)]
    return fit_page(found, "runs.csv", (measured, [1.1 * m for m in measured]), ([5.0], [6.0]), ORIGIN)


@pytest.mark.parametrize("width", [360, 1600])
@pytest.mark.parametrize("what", ["sweep", "fit"])
def test_lines_are_drawn_without_a_word(opened: Open, album: Path, width: int, what: str) -> None:
    found = opened({"sweep": swept, "fit": fitted}[what](), width)
    assert found.messages == []
    assert found.number("document.documentElement.scrollWidth") <= width
    colours = found.page.evaluate(PAINTED, "[data-lines] canvas")
    assert len(colours) == 1
    assert colours[0] > 10
    found.page.screenshot(path=album / f"{what}-{width}.png", full_page=True)
