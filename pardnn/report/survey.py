"""What was read from a graph file, on a page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType

from pardnn.report.layout import facts, table
from pardnn.report.words import count, percent, shorten, us
from pardnn.units import format_size

_ROWS = 12


def survey_report(found: Mapping[str, Any]) -> RenderableType:
    """The page of a survey (`pardnn.answers.survey.survey`)."""
    return Group(facts(_facts(found)), "", *_group_table(found), *_type_table(found))


def _facts(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    groups, kind = found["groups"], "text" if found["text"] else "binary"
    read = count(found["nodes"], "node"), count(found["edges"], "edge"), count(found["functions"], "function")
    resident, output = format_size(found["resident_bytes"]), format_size(found["output_bytes"])
    return [
        ("graph", f"{Path(found['graph']).name}: {found['kind']}, {kind}"),
        ("read", ", ".join(read)),
        ("to be placed", f"{count(found['placed'], 'op')}, the longest path {count(found['depth'], 'op')}"),
        ("pruned", _counts(found["pruned"], " ")),
        ("groups", f"{groups['number']:,} with {count(groups['ops'], 'op')}" if groups["number"] else "none"),
        ("loops", f"{found['loops']:,}" if found["loops"] else "none"),
        ("on the CPU", _counts(found["host_ops"])),
        ("unknown shapes", f"{found['coverage']['unknown_shape']:,}"),
        ("devices", _counts(found["devices_in_file"])),
        ("time", f"{us(found['time_us'])} for all ops one after the other"),
        ("memory", f"{resident} for the whole step, {output} of results"),
    ]


def _counts(counts: Mapping[str, int], times: str = " x ") -> str:
    shown = [f"{number:,}{times}{name}" for name, number in list(counts.items())[:_ROWS]]
    return ", ".join(shown + ["..."] * (len(counts) > _ROWS)) or "none"


def _group_table(found: Mapping[str, Any]) -> list[RenderableType]:
    rows = [
        (f"{group['ops']:,}", shorten(group["first"], 50), _counts(dict(list(group["by_type"].items())[:4])))
        for group in found["groups"]["largest"]
    ]
    return (
        [
            table(("ops", "largest groups: first op", "of types"), rows, fold=("largest groups: first op", "of types")),
            "",
        ]
        if rows
        else []
    )


def _type_table(found: Mapping[str, Any]) -> list[RenderableType]:
    total = found["time_us"] or 1.0
    rows = [
        (
            row["op"] or "-",
            f"{row['count']:,}",
            us(row["time_us"]),
            percent(row["time_us"] / total),
            format_size(row["resident_bytes"]),
        )
        for row in found["op_types"][:_ROWS]
    ]
    hidden = len(found["op_types"]) - _ROWS
    more = [f"... and {hidden:,} more"] if hidden > 0 else []
    return [table(("op type", "ops", "time", "share", "held"), rows, fold=("op type",)), *more]
