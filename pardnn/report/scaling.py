"""How a step scales, to read and to look at."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from pardnn.errors import InputError
from pardnn.report.layout import facts, table
from pardnn.report.words import count, percent, us
from pardnn.units import format_size, format_time

_DPI = 120
Found = Mapping[str, Any]


def scaling_report(found: Found) -> RenderableType:
    """Facts, the table, and where more workers stop paying."""
    return Group(
        facts(_facts(found)), "", table(_heads(found), _cells(found), fold=("held up by",)), "",
        Text(verdict(found), style="bold"),
    )  # fmt: skip


def verdict(found: Found) -> str:
    """Up to how many workers it pays, in one sentence or two."""
    rows, pays, fastest = found["rows"], found["pays_up_to"], found["fastest"]
    last = rows[-1]
    if len(rows) == 1:
        return f"{count(last['workers'], 'worker')}: {rate(last['per_second'])} {found['unit']}/s."
    if pays == last["workers"]:
        times = f"{rate(last['speed_up'])} times one's {found['unit']}/s"
        return f"It pays up to {count(pays, 'worker')}, the most that were asked for: {times}."
    following = next(row for row in rows if row["workers"] > pays)
    more, share = following["workers"] - pays, percent(max(0.0, following["gain"]))
    brings = (
        f"the next {more:,} bring {share} of what they could" if more > 1 else f"one more brings {share} of its own"
    )
    said = f"It pays up to {count(pays, 'worker')}: {brings} ({following['bottleneck']})."
    if fastest < last["workers"]:
        said += f" Beyond {count(fastest, 'worker')} the whole gets slower."
    return said


def rate(per_second: float) -> str:
    """A rate to read, with three digits.

    >>> rate(3.6216), rate(1234.5)
    ('3.62', '1,234')
    """
    return f"{per_second:,.0f}" if per_second >= 100 else f"{per_second:.3g}"


def _facts(found: Found) -> list[tuple[str, str]]:
    most = "" if found["gradients_exact"] else "at most "
    phase = found["phase_us"]
    parts = [f"{us(phase[name])} {name}" for name in ("forward", "backward", "update", "other") if phase[name]]
    fused = f" in {found['buckets']}" if found["buckets"] else ""
    return [
        ("graph", found["graph"]),
        ("one worker", f"{count(found['gpus_per_replica'], 'GPU')} of {found['machine']}: {', '.join(parts)}"),
        ("gradients", f"{most}{format_size(found['gradient_bytes'])}, {count(found['gradients'], 'tensor')}{fused}"),
        ("synchronised", f"{found['strategy']} over {found['link']}, {count(found['gpus_per_host'], 'GPU')} a host"),
    ]


def _heads(found: Found) -> list[str]:
    own = ["workers", "step", "to hide", "not hidden", "scaling", f"{found['unit']}/s"]
    return [*own, *(["epoch"] if found["samples"] else []), *(["in all"] * _several(found)), "held up by"]


def _cells(found: Found) -> list[tuple[str, ...]]:
    return [
        (
            f"{row['workers']:,}", us(row["step_us"]), us(row["sync_us"]) if row["sync_us"] else "",
            us(max(0.0, row["added_us"])) if row["workers"] > 1 else "", percent(row["scaling_factor"]),
            rate(row["per_second"]),
            *([_long(row["epoch_s"])] if found["samples"] else []),
            *([_long(row["total_s"])] if _several(found) else []),
            row["bottleneck"],
        )
        for row in found["rows"]
    ]  # fmt: skip


def _several(found: Found) -> bool:
    return bool(found["samples"] and found["epochs"] > 1)


def _long(seconds: float) -> str:
    """A time that may be hours.

    >>> _long(30.0), _long(5400), _long(500_000)
    ('30.0 s', '1.50 h', '5.79 d')
    """
    if seconds < 600:
        return format_time(round(seconds * 1e9))
    return f"{seconds / 3600:.2f} h" if seconds < 100 * 3600 else f"{seconds / 86400:.2f} d"


def scaling_plot(found: Found) -> bytes:
    """A PNG: samples a second beside what as many workers alone would do, and the parts of a step.

    Raises InputError where matplotlib is not there.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError("--plot needs matplotlib: pip install 'pardnn[plots]'") from None
    rows: Sequence[Any] = found["rows"]
    workers = [row["workers"] for row in rows]
    figure = Figure((10, 4.2), dpi=_DPI, layout="constrained")
    speed, parts = figure.subplots(1, 2)
    one = rows[0]["per_second"] / rows[0]["speed_up"]
    speed.plot(workers, [n * one for n in workers], color="0.6", linewidth=1, linestyle="--", label="nothing lost")
    speed.plot(workers, [row["per_second"] for row in rows], marker="o", markersize=5, label=found["strategy"])
    speed.axvline(found["pays_up_to"], color="0.8", linewidth=1, zorder=0)
    speed.set_xscale("log", base=2)
    speed.set_yscale("log")
    speed.set_ylabel(f"{found['unit']} per second")
    speed.set_title(f"It pays up to {count(found['pays_up_to'], 'worker')}")
    speed.legend(fontsize="small")
    place = range(len(rows))
    alone = [(row["step_us"] - row["added_us"]) / 1000 for row in rows]
    parts.bar(place, alone, color="#4c78a8", label="the worker's own step")
    parts.bar(place, [row["added_us"] / 1000 for row in rows], bottom=alone, color="#e45756", label="not hidden")
    parts.plot(place, [row["sync_us"] / 1000 for row in rows], "k_", markersize=12, label="synchronisation in all")
    parts.set_xticks(place, [f"{n:,}" for n in workers], rotation=45 if len(rows) > 8 else 0)
    parts.set_ylabel("milliseconds a step")
    parts.set_title("What a step consists of")
    parts.legend(fontsize="small")
    for axes in (speed, parts):
        axes.set_xlabel("workers")
    speed.set_xticks(workers, [f"{n:,}" for n in workers], rotation=45 if len(rows) > 8 else 0)
    speed.set_xticks([], minor=True)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()
