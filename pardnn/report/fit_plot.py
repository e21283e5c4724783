"""Measured beside predicted as a picture."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from pardnn.errors import InputError

_DPI, _SIZE = 120, 5.5


def fit_plot(
    target: str, learned: tuple[Sequence[float], Sequence[float]], new: tuple[Sequence[float], ...] | None
) -> bytes:
    """A PNG: (measured, predicted) of rows learned from, and of new ones (measured, predicted, low, high), if any.

    Both axes are logarithmic; on the line the two are equal. Raises InputError where matplotlib is not there.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError("--plot needs matplotlib: pip install 'pardnn[plots]'") from None
    mpl.use("Agg")  # no window, whatever the desktop
    figure: Any = Figure((_SIZE, _SIZE), dpi=_DPI, layout="constrained")
    axes = figure.subplots()
    axes.plot(*learned, ".", color="0.65", markersize=3, label=f"{len(learned[0]):,} rows learned from")
    ends = [*learned[0], *learned[1]]
    if new is not None:
        measured, predicted, low, high = new
        below = [p - end for p, end in zip(predicted, low, strict=True)]
        above = [end - p for p, end in zip(predicted, high, strict=True)]
        style = {"fmt": "o", "markersize": 3, "linewidth": 0.6, "color": "tab:blue"}
        axes.errorbar(measured, predicted, yerr=[below, above], label=f"{len(measured):,} new rows, 90 %", **style)
        ends += [*measured, *predicted]
    line = (min(ends), max(ends))
    axes.plot(line, line, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel(f"{target}, measured")
    axes.set_ylabel("predicted")
    axes.legend(fontsize="small")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()
