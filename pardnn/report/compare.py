"""Several results side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from pardnn.report.layout import table
from pardnn.report.plan import speed_up
from pardnn.report.words import percent, safe, us
from pardnn.units import format_size

_HEADS = ("method", "step time", "over best", "speed-up", "peak", "sent", "transfers", "seconds")
Result = Mapping[str, Any]


def comparison_report(name: str, results: Sequence[Result]) -> RenderableType:
    """A row per method, in the order asked for; below, why some have no figures."""
    done = [result for result in results if not result["error"]]
    best = min((result["makespan_us"] for result in done), default=0.0)
    failed = [f"{result['method']}: {result['error']}" for result in results if result["error"]]
    return Group(
        Text(safe(name), style="bold"),
        table(_HEADS, [_row(result, best) for result in results], left=("method",)),
        *(Text(safe(line)) for line in failed),
        *_bound(done),
    )


def _row(result: Result, best: float) -> tuple[str, ...]:
    if result["error"]:
        return (result["method"], "does not fit", *[""] * 6)
    return (
        result["method"],
        us(result["makespan_us"]),
        percent(result["makespan_us"] / best - 1) if best else "",
        f"{speed_up(result):.2f} x",
        format_size(max(result["peak_bytes"])),
        format_size(result["comm_bytes"]),
        f"{result['transfers']:,}",
        f"{result['seconds']['partition']:.2f}",
    )


def _bound(done: Sequence[Result]) -> list[str]:
    if not done:
        return []
    first = done[0]
    return [f"one device {us(first['single_device_us'])}, no placement is faster than {us(first['lower_bound_us'])}"]
