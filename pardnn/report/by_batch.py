"""A step at several batch sizes, and epochs, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType

from pardnn.report.layout import facts, table
from pardnn.report.words import us
from pardnn.units import format_size

_MINUTE_S, _HOUR_S = 120, 7200


def batches_report(rows: Sequence[Mapping[str, Any]], held: Sequence[Mapping[str, Any]]) -> RenderableType:
    """A table of batch sizes on one card, and the largest batch per number of cards, if there is a limit to it."""
    drawn = table(
        ("batch", "step", "between", "samples/s", "peak", "as allocated", ""),
        [
            (
                f"{row['batch_size']:,}", us(row["step_us"]), f"{us(row['low_us'])} to {us(row['high_us'])}",
                f"{row['per_second'] or 0:,.1f}", format_size(row["peak_bytes"]),
                format_size(row["allocator_bytes"]), "" if row["fits"] else "does not fit",
            )
            for row in rows
        ],
        left=("",),
    )  # fmt: skip
    if not held:
        return drawn
    largest = [(f"on {row['gpus']} card{'s' * (row['gpus'] > 1)}", _held(row)) for row in held]
    return Group(drawn, "", "the largest batch that a plan was seen to hold, within an eighth:", facts(largest))


def epochs_fact(found: Mapping[str, Any]) -> RenderableType:
    """An epoch, and all of them."""
    one, low, high = (_long(found[f"{end}_s"]) for end in ("epoch", "low", "high"))
    steps = f"{found['steps']:,} steps of {found['batch_size']:,} for {found['samples']:,} samples"
    rows = [("epoch", f"{one} ({low} to {high}): {steps}")]
    if found["epochs"] > 1:
        total, low, high = (_long(found[f"total{end}_s"]) for end in ("", "_low", "_high"))
        rows.append((f"{found['epochs']:,} epochs", f"{total} ({low} to {high})"))
    return facts(rows)


def _held(row: Mapping[str, Any]) -> str:
    rate, peak = row["samples_per_second"] or 0, format_size(max(row["peak_bytes"]))
    return f"{row['batch_size']:,}: step {us(row['step_us'])}, {rate:,.1f} samples/s, peak {peak}"


def _long(seconds: float) -> str:
    """A time of minutes or days.

    >>> _long(5), _long(600), _long(90000)
    ('5.00 s', '10.0 min', '25.0 h')
    """
    if seconds < _MINUTE_S:
        return us(1e6 * seconds)
    return f"{seconds / 60:.1f} min" if seconds < _HOUR_S else f"{seconds / 3600:,.1f} h"
