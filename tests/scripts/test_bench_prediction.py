"""The benchmark of predictions: what a figure says of itself, and which parts there are."""

import math

from scripts.bench_prediction import parts
from scripts.prediction.figures import Figure, Table


def test_a_figure_says_whether_its_mark_was_reached() -> None:
    assert str(Figure("rmse", 3.661, "ms", mark=3.66, stretch=3)) == (
        "rmse: 3.661 ms (<= 3.66 asked: MISSED, stretch 3 MISSED)"
    )
    assert Figure("rows inside", 91.0, mark=90, better="more").reached
    assert Figure("mape", 3.0).reached is None
    assert Figure("mape", math.nan, mark=8).reached is False


def test_a_table_lines_up() -> None:
    assert str(Table("t", ("kind", "x"), [("a", 1.0), ("long", 0.123456)])) == (
        "t\n  kind       x\n  a          1\n  long  0.1235"
    )


def test_every_module_with_a_report_is_a_part() -> None:
    assert "figures" not in parts()
