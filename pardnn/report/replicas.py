"""Split or not: a plan and data parallelism side by side, and which of them is best and why."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from pardnn.report.layout import table
from pardnn.report.words import us
from pardnn.units import format_size

_EVEN = 1.02
"""Up to such a ratio two rates count as equal."""
Row = Mapping[str, Any]


def replicas_report(found: Mapping[str, Any]) -> RenderableType:
    """The table, where there is anything to compare with, and the sentence."""
    sentence = Text(choice(found), style="bold")
    if not _others(found):
        return sentence
    rows = [cells(row) for row in found["rows"]]
    return Group("", table(heads(found), rows, left=("replicas",)), "", sentence)


def heads(found: Mapping[str, Any]) -> tuple[str, ...]:
    """Of the columns of `cells`."""
    return ("replicas", "own step", "all-reduce", f"{found['unit']}/s", "peak")


def choice(found: Mapping[str, Any]) -> str:
    """Which is best and why, in one sentence."""
    if found["reason"]:
        return f"Data parallelism was not looked at: {found['reason']}."
    others, plan, unit = _others(found), found["rows"][0], found["unit"]
    if not others or not plan["per_second"]:
        names = [row["name"] for row in found["rows"][1:] if not row["fits"]]
        why = f"there is no room for {', '.join(names)}" if names else "the step takes no time"
        return f"Data parallelism is no choice: {why}."
    best = max(others, key=lambda row: row["per_second"])
    dearest = "at most " if not found["gradients_exact"] else ""
    ring = f"{us(best['allreduce_us'])} of all-reduce ({dearest}{format_size(found['gradient_bytes'])})"
    gain = best["per_second"] / plan["per_second"]
    if gain > _EVEN:
        return (
            f"{best['name']} trains {gain:.2f} times as many {unit} a second as this plan, with {ring} after each step;"
            f" its batch is {best['replicas']} times as large."
        )
    hidden = max(others, key=lambda row: row["per_second_hidden"])
    most = hidden["per_second_hidden"] / plan["per_second"]
    if most > _EVEN:
        return (
            f"This plan is best unless the all-reduce is hidden behind the step: wholly hidden, {hidden['name']} trains"
            f" {most:.2f} times as many {unit} a second."
        )
    less = f"{gain:.2f} times as many {unit} a second"
    return f"This plan is best: {best['name']} trains {less}, with {ring} after each step."


def _others(found: Mapping[str, Any]) -> list[Row]:
    """The replicas that fit and take time, beside the plan itself."""
    return [row for row in found["rows"][1:] if row["fits"] and row["per_second"]]


def cells(row: Row) -> tuple[str, ...]:
    """A row of replicas to read."""
    if not row["fits"]:
        return (row["name"], "does not fit", "", "", "")
    if row["per_second"] is None:
        return (row["name"], us(row["replica_us"]), us(row["allreduce_us"]), "", format_size(row["peak_bytes"]))
    least, most = _rate(row["per_second"]), _rate(row["per_second_hidden"])
    ring = us(row["allreduce_us"]) if row["replicas"] > 1 else ""
    rates = least if least == most else f"{least} to {most}"
    return (row["name"], us(row["replica_us"]), ring, rates, format_size(row["peak_bytes"]))


def _rate(per_second: float) -> str:
    """A rate to read, with three digits.

    >>> _rate(3.6216), _rate(1234.5), _rate(0.01234)
    ('3.62', '1,234', '0.0123')
    """
    return f"{per_second:,.0f}" if per_second >= 100 else f"{per_second:.3g}"
