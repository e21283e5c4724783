"""One plan: how long a step takes, how that compares, what each device does and holds, and what to make of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.text import Text

from pardnn.report.layout import facts, table
from pardnn.report.words import bar, count, measured_share, percent, safe, short, us
from pardnn.units import format_size

_ROWS = 32  # devices shown one by one
_WORTH = 1.02  # speed-up from which on splitting is worth its trouble
_ROOM = 72  # columns that the table takes with bars
_WORDS = {"roofline": "estimated by roofline", "unknown_shape": "of unknown shape", "grouped": "in groups"}
Result = Mapping[str, Any]


def plan_report(result: Result) -> RenderableType:
    """The table of a result (`Plan.result()`), with a sentence at its end that says what it means."""
    return Group(
        facts(_facts(result)),
        "",
        _Devices(result),
        *_more(result),
        "",
        Text(verdict(result), style="bold"),
    )


def warning_lines(result: Result) -> list[Text]:
    """A line per warning."""
    return [Text(f"warning: {safe(warning)}") for warning in result["warnings"]]


class _Devices:
    """The table of devices, without bars where there is no room for them."""

    def __init__(self, result: Result) -> None:
        self._result = result

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        heads: tuple[str, ...] = ("device", "ops", "busy", "", "peak", "", "limit")
        rows = _devices(self._result)
        shown = [
            at for at, head in enumerate(heads) if head or (options.max_width >= _ROOM and any(r[at] for r in rows))
        ]
        heads, rows = tuple(heads[at] for at in shown), [tuple(row[at] for at in shown) for row in rows]
        yield table(heads, rows, left=("device", ""))


def _facts(result: Result) -> list[tuple[str, str]]:
    single = us(result["single_device_us"])
    if not result["single_device_fits"]:
        single += ", but it does not fit there"
    rows = [
        ("graph", f"{Path(result['graph']).name}: {count(result['nodes'], 'node')}, {count(result['edges'], 'edge')}"),
        ("method", f"{result['method']} ({result['order']} order, contention {result['contention']})"),
        ("step time", us(result["makespan_us"])),
        ("one device", single),
    ]
    if result["makespan_us"]:
        rows.append(("speed-up", f"{speed_up(result):.2f} x"))
    if "control_edges" in result:
        rows.append(("order", order_gain(result["control_edges"])))
    return [*rows, ("lower bound", _bound(result)), ("transfers", _transfers(result)), ("ops", _coverage(result))]


def _bound(result: Result) -> str:
    bound, gap = us(result["lower_bound_us"]), result["gap"] if result["makespan_us"] else 0.0
    if gap is None:
        return bound
    return f"{bound}: {'nothing can be faster' if gap <= 0 else f'at most {percent(gap)} above the best possible'}"


def _transfers(result: Result) -> str:
    return f"{result['transfers']:,} over the links, {format_size(result['comm_bytes'])}"


def _coverage(result: Result) -> str:
    parts = [f"{number:,} {_WORDS.get(name, name)}" for name, number in result["coverage"].items() if number]
    if "measured_percent" in result:
        parts[:1] = [part + measured_share(result["measured_percent"]) for part in parts[:1]]
    return ", ".join(parts)


def _devices(result: Result) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for device in result["per_device"][:_ROWS]:
        share = device["busy_us"] / result["makespan_us"] if result["makespan_us"] else 0.0
        limit = device["limit_bytes"]
        rows.append((
            short(device["device"]), f"{device['ops']:,}", f"{100 * share:.0f} %", bar(share),
            format_size(device["peak_bytes"]), bar(device["peak_bytes"] / limit) if limit else "",
            "unlimited" if limit is None else format_size(limit),
        ))  # fmt: skip
    return rows


def _more(result: Result) -> list[str]:
    hidden = len(result["per_device"]) - _ROWS
    return [f"... and {hidden:,} more"] if hidden > 0 else []


def verdict(result: Result) -> str:
    """What a user should make of it, in one sentence."""
    if not result["fits"]:
        return "It does not fit."
    gpus = result["devices"]
    if gpus == 1:
        return "It fits on the one GPU there is."
    used = sum(device["ops"] > 0 for device in result["per_device"][:gpus])
    held, gain = result["single_device_fits"], speed_up(result)
    if used <= 1 and held:
        return f"One GPU is as fast as {gpus}: do not split."
    if held and gain == 1:
        return "One GPU holds it all and is as fast: do not split."
    if held and 1 < gain < _WORTH:
        return f"One GPU holds it all; splitting it makes the step only {percent(gain - 1)} faster."
    if gain > 1:
        return f"{gain:.2f} times as fast as one GPU{'' if held else ', which could not hold it'}."
    if not gain and held:
        return "One GPU holds it all and needs no time for it: do not split."
    if not gain:
        return "One GPU could not hold it; all of the step's time is transfers."
    if held:
        return f"One GPU holds it all and is {1 / gain:.2f} times as fast: do not split it like this."
    return f"One GPU could not hold it; sharing it out costs {percent(1 / gain - 1)} more time than one that could."


def order_gain(found: Result) -> str:
    """How many control edges there are, and what they bring.

    >>> order_gain(
    ...     {
    ...         "count": 2,
    ...         "makespan_us_before": 100.0,
    ...         "makespan_us": 92.0,
    ...         "peak_bytes_before": [100],
    ...         "peak_bytes": [97],
    ...     }
    ... )
    '2 control edges: 8.0 % faster, 3.0 % less memory'
    """
    if not found["count"]:
        return "no control edges: none makes it faster"
    before, after = found["makespan_us_before"], found["makespan_us"]
    held, holds = max(found["peak_bytes_before"], default=0), max(found["peak_bytes"], default=0)
    parts = [f"{percent(1 - after / before)} faster" if after < before else "as fast"]
    if holds != held and held:
        parts.append(f"{percent(abs(1 - holds / held))} {'less' if holds < held else 'more'} memory")
    return f"{count(found['count'], 'control edge')}: {', '.join(parts)}"


def speed_up(result: Result) -> float:
    """How many times as fast as one device."""
    return float(result["single_device_us"] / result["makespan_us"]) if result["makespan_us"] else 1.0
