"""The first screen: what was planned, the verdict in one sentence, and the figures behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pardnn.report.html.markup import Html, Part, brief, join, shown, tag
from pardnn.report.plan import speed_up
from pardnn.report.words import count, percent, us
from pardnn.units import format_size

_AS_FAST = 1.005
Result = Mapping[str, Any]


def headline(result: Result, mem_bytes: Sequence[int | None]) -> str:
    """The verdict in one sentence: does it fit, how fast, how far from the best possible at most.

    mem_bytes: per GPU as the user gave it, before the reserve.
    """
    return f"{_fits(result, mem_bytes)}; {_speed(result)}; {_gap(result)}."


def head(result: Result, mem_bytes: Sequence[int | None]) -> Html:
    """Title, verdict, key figures."""
    graph = shown(Path(result["graph"]).name)
    about = f"{count(result['nodes'], 'node')}, {count(result['edges'], 'edge')} · method {result['method']}"
    return tag(
        "div",
        tag("h1", tag("bdi", graph)),
        tag("p", f"{about} · {result['order']} order, contention {result['contention']}", class_="about"),
        tag("p", headline(result, mem_bytes), class_="verdict", id="verdict"),
        tag("dl", [_figure(*row) for row in _figures(result)], class_="figures"),
        class_="intro",
    )


def _fits(result: Result, mem_bytes: Sequence[int | None]) -> str:
    cards = "one card" if result["devices"] == 1 else f"{result['devices']} cards"
    if not result["fits"]:
        over = next((row for row in result["per_device"] if row["peak_bytes"] > (row["limit_bytes"] or 2**63)), None)
        if over is None:
            return "Does not fit"
        device, peak, limit = over["device"], over["peak_bytes"], over["limit_bytes"]
        return f"Does not fit: {brief(device)} needs {format_size(peak)} and has {format_size(limit)}"
    if all(size is None for size in mem_bytes):
        return f"Runs on {cards} of unlimited memory"
    if len(set(mem_bytes)) == 1:
        return f"Fits on {len(mem_bytes)} × {memory(mem_bytes[0])}"
    return f"Fits on {cards} of {', '.join(memory(size) for size in mem_bytes)}"


def memory(size: int | None) -> str:
    """A card's memory as its maker writes it.

    >>> memory(16 * 10**9), memory(2**34), memory(11_500_000_000), memory(None)
    ('16 GB', '16 GiB', '11.5 GB', 'unlimited')
    """
    if size is None:
        return "unlimited"
    for unit, factor in (("GB", 10**9), ("GiB", 2**30), ("MB", 10**6), ("MiB", 2**20)):
        if size % factor == 0 or (size >= factor and size % (factor // 10 or 1) == 0):
            return f"{size / factor:g} {unit}"
    return format_size(size)


def _speed(result: Result) -> str:
    gain = speed_up(result)
    if result["devices"] == 1:
        return f"a step takes {us(result['makespan_us'])}"
    held = result["single_device_fits"]
    if gain >= _AS_FAST:
        return f"{gain:.2g}× faster than one card{'' if held else ', which could not hold it'}"
    if not held:
        return "no faster than one card would be, but one could not hold it"
    return "one card is as fast: do not split" if gain > 2 - _AS_FAST else "one card is faster: do not split like this"


def _gap(result: Result) -> str:
    gap = result["gap"] if result["makespan_us"] else 0.0
    if gap is None:
        return "how good it could be at best is not known"
    if gap >= 1:
        return f"at most {1 + gap:.1f} times the best possible"
    return "nothing can be faster" if gap <= 0 else f"at most {percent(gap)} from the best possible"


def _figures(result: Result) -> list[tuple[str, str, str]]:
    peak = max(result["per_device"], key=lambda row: row["peak_bytes"] / (row["limit_bytes"] or 2**63))
    limit = "no limit" if peak["limit_bytes"] is None else f"of {format_size(peak['limit_bytes'])}"
    single = us(result["single_device_us"])
    bound = us(result["lower_bound_us"])
    return [
        ("Step time", us(result["makespan_us"]), f"one card {single}"),
        ("Speed-up", f"{speed_up(result):.2f} ×", f"on {count(result['devices'], 'card')}"),
        ("Best possible", bound, "no placement is faster"),
        ("Highest peak", format_size(peak["peak_bytes"]), f"{limit}, {brief(peak['device'])}"),
        ("Sent", format_size(result["comm_bytes"]), count(result["transfers"], "transfer")),
    ]


def _figure(name: str, value: str, note: Part) -> Html:
    return tag("div", tag("dt", name), tag("dd", join([tag("strong", value), tag("span", note)])))
