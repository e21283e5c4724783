"""What was measured beside what was predicted, as tables in Markdown."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from scripts.truth.peaks import peaks_of, table
from scripts.truth.plots import write
from scripts.truth.predict import CLOCKS, HOWS, Row, all_rows, runs_of
from scripts.truth.settings import ALL_PLANS, CORES, MODELS, PLANS

SHOWN = (("towers", "layers"), ("recommender", "heft"))


def report(folder: Path, names: list[str]) -> str:
    """All tables."""
    rows = {clock: all_rows(folder, names, clock) for clock in CLOCKS}
    first = rows["median"]
    there = dict.fromkeys(row.model.name for row in first)
    held = [peak for model in MODELS if model.name in there for peak in peaks_of(folder, model)]
    with contextlib.suppress(ImportError):  # without matplotlib there are no pictures
        write(folder, first, "shared", SHOWN)
    parts = [steps(first), *(f"{clock}:\n\n{errors(some)}\n\n{regret(some)}" for clock, some in rows.items())]
    return "\n\n".join([*parts, chosen(folder, list(there)), table(held)])


def steps(rows: Sequence[Row]) -> str:
    """A line per model and plan."""
    head = ["model", "plan", "transfers", "MiB", "measured", "between runs", "naive", "error", "shared", "error",
            "order"]  # fmt: skip
    lines = [_line(head), _line(["---"] * len(head))]
    for row in rows:
        figures = [cell for how in HOWS for cell in (_ms(row.said(how)), f"{row.error(how):+.1%}")]
        name = row.model.name + (" *" if row.model.held_out else "")
        lines.append(
            _line([
                name, row.plan, f"{row.transfers:,}", f"{row.sent_bytes / 2**20:.1f}", _ms(row.step),
                f"{row.spread:.1%}", *figures, f"{row.order:.2f}",
            ])
        )  # fmt: skip
    return "\n".join(lines)


def errors(rows: Sequence[Row]) -> str:
    """Median and worst error of each prediction over the plans that send something, and how many are near enough."""
    lines = [_line(["pairs", "", *HOWS]), _line(["---"] * (2 + len(HOWS)))]
    two = [row for row in rows if row.transfers]
    sets = {
        "tuning": [row for row in two if not row.model.held_out],
        "held out": [row for row in two if row.model.held_out],
        "all": two,
    }
    for name, some in sets.items():
        if some:
            off = {how: [abs(row.error(how)) for row in some] for how in HOWS}
            near = {how: sum(row.within(how) for row in some) for how in HOWS}
            lines += [
                _line([f"{name}: {len(some)}", "median", *(f"{median(off[how]):.1%}" for how in HOWS)]),
                _line(["", "worst", *(f"{max(off[how]):.1%}" for how in HOWS)]),
                _line(["", "within max(15 %, 2 x between runs)", *(f"{near[how]}" for how in HOWS)]),
            ]
    orders = sorted(row.order for row in two if not math.isnan(row.order))
    return "\n".join(lines) + f"\n\norder: tau {median(orders):.2f} in the middle, {orders[0]:.2f} at worst"


def regret(rows: Sequence[Row]) -> str:
    """Per model the fastest plan, and how much slower the one is that each prediction likes best."""
    lines = [_line(["model", "fastest", *(f"{how} likes" for how in HOWS)]), _line(["---"] * (2 + len(HOWS)))]
    for model in dict.fromkeys(row.model.name for row in rows):
        own = [row for row in rows if row.model.name == model]
        best = min(own, key=lambda row: row.step)
        liked = [min(own, key=lambda row, how=how: row.said(how)) for how in HOWS]  # type: ignore[misc]
        lines.append(
            _line([
                model, f"{best.plan} {_ms(best.step)}",
                *(f"{one.plan} {one.step / best.step - 1:+.1%}" for one in liked),
            ])
        )  # fmt: skip
    return "\n".join(lines)


def chosen(folder: Path, names: Sequence[str]) -> str:
    """What `auto` chose for GPUs and for cores, and the fastest of the five plans, each over one worker in its runs."""
    lines = [_line(["model", "auto", "cores", "fastest of five"]), _line(["---"] * 4)]
    for name in names:
        over = {plan: _over_one(folder / name, plan) for plan in ALL_PLANS}
        best = min(PLANS, key=lambda plan, over=over: over[plan])  # type: ignore[misc]
        if over[CORES] < float("inf"):
            lines.append(_line([name, f"{over['auto']:.2f}", f"{over[CORES]:.2f}", f"{over[best]:.2f} {best}"]))
    return "\n".join(lines)


def _over_one(folder: Path, plan: str) -> float:
    ratios = [median(run["step_s"]) / median(run["one_step_s"]) for run in runs_of(folder, plan)]
    return float(median(ratios)) if ratios else float("inf")


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.1f} ms" if seconds < 0.1 else f"{1e3 * seconds:.0f} ms"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
