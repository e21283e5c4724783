"""The text of a profile."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType

from pardnn.report.layout import facts, table
from pardnn.report.words import count, measured_share, percent, shorten, us

_NAME, _TYPE = 40, 20


def profile_report(found: Mapping[str, Any]) -> RenderableType:
    """The facts of a `Profile.result()` and its longest ops."""
    heads = ("op", "type", "runs", "time in a step", "share", "spread")
    rows = [
        (
            shorten(op["op"], _NAME), op["type"][:_TYPE], f"{op['runs']:g}", us(op["step_us"]),
            percent(op["step_us"] / found["ops_us"]), us(op["spread_us"]),
        )
        for op in found["top_ops"]
    ]  # fmt: skip
    return Group(facts(_facts(found)), "", table(heads, rows, left=("op", "type")))


def _facts(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    plain = found["step_us"]
    off, ahead = (found[what] / plain - 1 for what in ("ops_us", "predicted_us"))
    covered = found["coverage"]["measured"]
    rest = found["coverage"]["roofline"]
    unseen = f", {rest:,} by the scaled roofline" if rest else ""
    rows = [
        (
            "graph",
            f"{Path(found['graph']).name}: {count(found['ops_seen'], 'op')} seen in {count(found['steps'], 'step')}",
        ),
        (
            "plain step",
            f"{us(plain)}, the fastest {us(found['step_min_us'])}; calling TensorFlow {us(found['call_us'])} more",
        ),
        ("traced", f"{us(found['traced_step_us'])}: tracing costs {percent(found['traced_step_us'] / plain - 1)}"),
        ("all ops", f"{us(found['ops_us'])} one after the other, {_beside(off)} the plain step"),
        ("executor", f"{us(found['overhead_us'])} more for each run of an op, which a plain step has besides"),
        ("predicted", f"{us(found['predicted_us'])} on one device by these costs, {_beside(ahead)} the plain step"),
        ("coverage", f"{covered:,} ops measured{measured_share(found['measured_percent'])}{unseen}"),
        ("times of", ", ".join(row.rpartition("/device:")[2] or row for row in found["rows"])),
    ]
    if found["dropped"]:
        rows.append(("not used", ", ".join(f"{number:,} {why}" for why, number in found["dropped"].items())))
    return rows


def _beside(off: float) -> str:
    return f"{percent(abs(off))} {'above' if off > 0 else 'below'}"
