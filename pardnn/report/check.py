"""A plan that holds, in a line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pardnn.report.words import count, percent, us
from pardnn.units import format_size


def holds(found: Mapping[str, Any]) -> str:
    """What was found of a plan that holds (`pardnn check`)."""
    strangers = len(found["new_ops"]) + len(found["gone_ops"])
    unknown = f" ({strangers:,} new or gone)" if strangers else ""
    return (
        f"The plan holds: {count(found['matched'], 'op')} matched{unknown}, {us(found['makespan_us'])} a step"
        f"{_change(found)}, {_memory(found)}."
    )


def _change(found: Mapping[str, Any]) -> str:
    expected = found["expected_us"]
    if isinstance(expected, bool) or not isinstance(expected, int | float) or expected <= 0:
        return ""
    ratio = found["makespan_us"] / expected - 1
    return " as expected" if ratio == 0 else f" ({'+' if ratio > 0 else '-'}{percent(abs(ratio))})"


def _memory(found: Mapping[str, Any]) -> str:
    pairs = zip(found["peak_bytes"], found["limit_bytes"], strict=True)
    peak, limit = max(pairs, key=lambda pair: pair[0] / pair[1] if pair[1] else 0.0)
    return f"at most {format_size(peak)}" + ("" if limit is None else f" of {format_size(limit)}")
