"""What a training step takes, on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType

from pardnn.report.layout import facts, table
from pardnn.report.words import count, measured_share, percent, shorten, us
from pardnn.units import format_size

_ROWS = 12
_TITLES = {
    "weights": "weights", "frozen": "frozen weights", "slots": "slots", "state": "other state",
    "constants": "constants", "resident": "held", "gradients": "gradients", "activations": "activations",
    "received": "received", "workspace": "workspace",
}  # fmt: skip


def footprint_report(found: Mapping[str, Any]) -> RenderableType:
    """The page of an estimate (`pardnn.answers.footprint.footprint`)."""
    return Group(
        facts(_facts(found)),
        "",
        _memory(found["steps"]),
        "",
        _types(found),
        *_top(found["top_ops"]),
    )


def flops_text(flops: int | None) -> str:
    """A number of operations to read.

    >>> flops_text(3_860_000_000), flops_text(12), flops_text(None)
    ('3.86 GFLOP', '12 FLOP', 'unknown')
    """
    if flops is None:
        return "unknown"
    value, prefix = float(flops), ""
    for larger in ("k", "M", "G", "T", "P", "E"):
        if value < 999.5:
            break
        value, prefix = value / 1000, larger
    return f"{value:.3g} {prefix}FLOP"


def _facts(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    read = f"{count(found['nodes'], 'node')}, {count(found['edges'], 'edge')}, {count(found['placed'], 'op')} in a step"
    held = [f"{format_size(size)} {_TITLES[kind]}" for kind, size in found["held_bytes"].items() if size]
    rows = [
        ("graph", f"{Path(found['graph']).name}: {read}"),
        *((f"step{_card(step)}", _step(step)) for step in found["steps"]),
        *(("allocator", _allocator(step)) for step in found["steps"] if step["allocator_bytes"] is not None),
        ("all ops", f"{us(found['time_us'])} one after the other, {flops_text(found['flops'])}"),
        ("whole step", ", ".join(held) or "nothing held"),
        ("made in it", _made(found)),
        ("coverage", _coverage(found["coverage"], found["measured_percent"])),
    ]
    return rows + [(f"by {source}", band) for source, band in found["bands"].items()]


def _card(step: Mapping[str, Any]) -> str:
    card = "" if step["card"] is None else f" on {step['card']}"
    return card + ("" if step["speed"] == "1" else f" x {step['speed']}")


def _step(step: Mapping[str, Any]) -> str:
    peak, limit = format_size(step["memory"][0]["peak_bytes"]), step["limit_bytes"]
    room = "" if limit is None else f" of {format_size(limit)}: {'fits' if step['fits'] else 'does not fit'}"
    return f"{us(step['step_us'])}{_between(step)}, {peak} at the peak{room}"


def _allocator(step: Mapping[str, Any]) -> str:
    return f"{format_size(step['allocator_bytes'])} in use as TensorFlow counts it, with its chunks and cuDNN's scratch"


def _between(row: Mapping[str, Any]) -> str:
    """The band of a time, where it is not exact."""
    low, high = us(row["low_us"]), us(row["high_us"])
    return "" if low == high else f" ({low} to {high})"


def _made(found: Mapping[str, Any]) -> str:
    gradients = found["gradient_bytes"]
    parts = [] if gradients is None else [f"{format_size(gradients)} gradients"]
    parts.append(f"{format_size(found['activation_bytes'])} {'outputs' if gradients is None else 'activations'}")
    return ", ".join((*parts, f"{format_size(found['workspace_bytes'])} largest workspace"))


def _coverage(coverage: Mapping[str, int], measured: Mapping[str, float]) -> str:
    parts = [f"{n:,} {name.replace('unknown_shape', 'of unknown shape')}" for name, n in coverage.items() if n]
    parts[:1] = [part + measured_share(measured) for part in parts[:1]]
    return f"ops {', '.join(parts)}"


def _memory(steps: Sequence[Mapping[str, Any]]) -> RenderableType:
    """A column per device of each step, a row per kind of memory."""
    columns = [memory for step in steps for memory in step["memory"]]
    single = len(steps) == 1
    heads = [m["device"] if single else f"{m['device']}{_card(step)}" for step in steps for m in step["memory"]]
    kinds = [kind for kind in columns[0]["at_peak"] if any(column["at_peak"][kind] for column in columns)]
    rows = [(_TITLES[kind], *(format_size(c["at_peak"][kind] or 0) for c in columns)) for kind in kinds]
    rows.append(("in all", *(format_size(column["peak_bytes"]) for column in columns)))
    rows.append(("at", *(us(column["moment_us"]) for column in columns)))
    return table(("at the peak", *heads), rows, left=("at the peak",))


def _types(found: Mapping[str, Any]) -> RenderableType:
    total = found["time_us"] or 1.0
    rows = [
        (
            row["op"] or "-", f"{row['count']:,}", us(row["time_us"]), percent(row["time_us"] / total),
            "" if row["flops"] is None else flops_text(row["flops"]), format_size(row["output_bytes"]),
            format_size(row["temp_bytes"]), format_size(row["resident_bytes"]),
        )
        for row in found["op_types"][:_ROWS]
    ]  # fmt: skip
    hidden = len(found["op_types"]) - _ROWS
    drawn = table(("op type", "ops", "time", "share", "work", "outputs", "workspace", "held"), rows, left=("op type",))
    return Group(drawn, f"... and {hidden:,} more") if hidden > 0 else drawn


def _top(ops: Sequence[Mapping[str, Any]]) -> list[RenderableType]:
    rows = [
        (
            shorten(row["name"], 30), row["op"], us(row["time_us"]), f"{row['band'][0]:.1f}-{row['band'][1]:.1f} x",
            format_size(row["output_bytes"]), format_size(row["temp_bytes"]), row["source"],
        )
        for row in ops
    ]  # fmt: skip
    heads = ("longest ops", "type", "time", "truth", "outputs", "workspace", "source")
    return ["", table(heads, rows, left=("longest ops", "type", "source"))] if rows else []
