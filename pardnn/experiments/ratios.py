"""Rows of a sweep beside each other: how far each method is from the best one of the same question."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from pardnn.experiments.cell import Cell
from pardnn.experiments.outcome import DONE
from pardnn.experiments.table import Pairs
from pardnn.report.sweep import MethodLine


class Ratio(NamedTuple):
    """A placement beside the shortest step that any method found for that graph on that machine, any effort or seed."""

    graph: str
    machine: str
    method: str
    devices: int
    over_best: float
    """1 = it is the best."""
    speed_up: float
    """Over the best single device."""


def ratios(pairs: Pairs) -> list[Ratio]:
    """One per cell that has a placement and takes any time, on one device too, in the order of the table."""
    best: dict[Any, float] = defaultdict(lambda: math.inf)
    done = [(cell, outcome.figures) for cell, outcome in pairs if outcome.status == DONE]
    done = [(cell, figures) for cell, figures in done if min(figures["makespan_us"], figures["single_device_us"]) > 0]
    for cell, figures in done:
        best[_question(cell)] = min(best[_question(cell)], figures["makespan_us"])
    return [
        Ratio(
            cell.graph, cell.asked.machine, cell.asked.method, figures["devices"],
            figures["makespan_us"] / best[_question(cell)], figures["single_device_us"] / figures["makespan_us"],
        )
        for cell, figures in done
    ]  # fmt: skip


def _question(cell: Cell) -> Any:
    return cell.graph, replace(cell.asked, method="", effort="balanced", seed=0, time_limit=None)


def mean(values: Iterable[float]) -> float:
    """The geometric mean.

    >>> mean([1.0, 4.0])
    2.0
    """
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs))


def by_method(found: Sequence[Ratio]) -> Mapping[str, list[Ratio]]:
    """The ratios of each method, in the order in which methods first appear."""
    groups: dict[str, list[Ratio]] = {}
    for ratio in found:
        groups.setdefault(ratio.method, []).append(ratio)
    return groups


def summary(pairs: Pairs) -> list[MethodLine]:
    """What each method did, in the order in which methods first appear."""
    return [
        MethodLine(
            method, len(those), mean(ratio.over_best for ratio in those), max(ratio.over_best for ratio in those),
            mean(ratio.speed_up for ratio in those), sum(ratio.over_best == 1 for ratio in those),
        )
        for method, those in by_method(ratios(pairs)).items()
    ]  # fmt: skip
