"""Methods beside each other: figures that can be worked out by hand."""

from __future__ import annotations

from pathlib import Path

from pardnn.config import Options
from pardnn.experiments.cell import Cell
from pardnn.experiments.outcome import Outcome
from pardnn.experiments.plots import plots
from pardnn.experiments.ratios import ratios, summary

FAILED = Outcome("", "does not fit", "too large")


def pair(method: str, makespan: float, graph: str = "g", gpus: int = 2) -> tuple[Cell, Outcome]:
    cell = Cell.of(graph, Path(), Options(method=method, gpus=gpus), lambda _: ("", 0))
    figures = {"makespan_us": makespan, "single_device_us": 8.0, "devices": gpus}
    return cell, Outcome(cell.key, "done", None, figures)


PAIRS = [pair("a", 4.0), pair("b", 2.0), pair("a", 1.0, gpus=4), pair("b", 4.0, gpus=4), (pair("b", 1.0)[0], FAILED)]


def test_each_question_has_its_own_best() -> None:
    assert [(r.method, r.devices, r.over_best, r.speed_up) for r in ratios(PAIRS)] == [
        ("a", 2, 2.0, 2.0), ("b", 2, 1.0, 4.0), ("a", 4, 1.0, 8.0), ("b", 4, 4.0, 2.0),
    ]  # fmt: skip


def test_means_are_geometric() -> None:
    a, b = summary(PAIRS)
    assert (a.method, a.placements, a.worst, a.best_in) == ("a", 2, 2.0, 1)
    assert (round(a.over_best, 9), round(a.speed_up, 9)) == (round(2**0.5, 9), 4.0)
    assert (round(b.over_best, 9), b.worst) == (2.0, 4.0)


def test_a_step_that_takes_no_time_on_one_device_is_left_out() -> None:
    cell, outcome = pair("a", 4.0)
    free = Outcome(cell.key, "done", None, {**outcome.figures, "single_device_us": 0.0})  # all of it is transfers
    assert ratios([(cell, free)]) == []
    assert summary([(cell, free)]) == []


def test_nothing_placed_is_nothing_drawn() -> None:
    assert plots(ratios([(pair("a", 1.0)[0], FAILED)])) == {}
    assert summary([(pair("a", 0.0))]) == []
