"""A sweep as its report shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from pardnn.config import Options
from pardnn.experiments.cell import Cell
from pardnn.experiments.outcome import DONE
from pardnn.experiments.ratios import Ratio, mean, ratios, summary
from pardnn.experiments.sweep import Swept
from pardnn.report.html.sweep import Overview

_NAMED = ("method", "gpus", "machine")
_TOLD = 200
"""Cells without a placement that are told one by one."""


def overview(swept: Swept) -> Overview:
    """Methods, means by machine and devices, means by graph, and why some cells have no placement."""
    found = ratios(swept.pairs)
    more = _varied([cell.asked for cell, _ in swept.pairs])
    failures = [(_label(cell, more), outcome.error or "") for cell, outcome in swept.pairs if outcome.status != DONE]
    return Overview(summary(swept.pairs), dict(swept.status), _speed_ups(found), _over_best(found), failures[:_TOLD])


def _varied(asked: Sequence[Options]) -> list[str]:
    """The options, beside those that every cell is told by, that are not the same in all cells."""
    names = (field.name for field in fields(Options) if field.name not in _NAMED)
    return [name for name in names if any(getattr(one, name) != getattr(asked[0], name) for one in asked)]


def _label(cell: Cell, more: Sequence[str]) -> str:
    asked = cell.asked
    others = [f"{name.replace('_', ' ')} {getattr(asked, name)}" for name in more]
    return ", ".join([cell.graph, asked.method, f"{asked.gpus} on {asked.machine}", *others])


def _speed_ups(found: Sequence[Ratio]) -> dict[str, dict[str, dict[int, float]]]:
    groups: dict[str, dict[str, dict[int, list[float]]]] = {}
    for ratio in found:
        groups.setdefault(ratio.machine, {}).setdefault(ratio.method, {}).setdefault(ratio.devices, []).append(
            ratio.speed_up
        )
    return {
        machine: {method: {k: mean(those) for k, those in by.items()} for method, by in methods.items()}
        for machine, methods in groups.items()
    }


def _over_best(found: Sequence[Ratio]) -> dict[str, dict[str, float]]:
    groups: dict[str, dict[str, list[float]]] = {}
    for ratio in found:
        groups.setdefault(ratio.graph, {}).setdefault(ratio.method, []).append(ratio.over_best)
    return {graph: {method: mean(those) for method, those in by.items()} for graph, by in groups.items()}
