"""Small pictures that need no script (bars), and the place and data of those that do (lines)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from pardnn.report.html.markup import Html, tag
from pardnn.report.html.pack import pack

WIDE, HIGH = 1000, 10
"""Of the picture of a bar; a page stretches it."""


class Line(NamedTuple):
    """A series of a chart: a value per x, None where there is none."""

    name: str
    y: Sequence[float | None]
    points: bool = False
    """Points only, not joined."""


def bar(value: float, whole: float, mark: float = 0.0, colour: int = 0) -> Html:
    """A bar as long as value / whole, with a line at the mark, such as the best possible."""
    scale = WIDE / whole if whole else 0
    at = round(mark * scale)
    return track(
        tag("rect", class_=f"fill dev{colour}", width=max(1, round(value * scale)), height=HIGH),
        tag("rect", class_="mark", x=str(at), width=4, height=HIGH) if mark else None,
    )


def track(*parts: Html | None) -> Html:
    """The track of a bar with what fills it."""
    return tag(
        "svg",
        tag("rect", class_="track", width=WIDE, height=HIGH),
        *parts,
        class_="share",
        viewBox=f"0 0 {WIDE} {HIGH}",
        preserveAspectRatio="none",
        aria_hidden="true",
    )


def lines(key: str, label: str) -> Html:
    """Where the chart of the block `key` is drawn."""
    return tag("div", class_="plot", data_lines=key, role="img", aria_label=label)


def drawn(x: Sequence[float], series: Sequence[Line], x_label: str, y_label: str, **how: Any) -> str:
    """The data of a chart. how: x_kind, y_kind (number, time, size, ratio), x_log, y_log (2, 10), only (ticks at x)."""
    words = {"".join([key.split("_")[0], *(part.title() for part in key.split("_")[1:])]): v for key, v in how.items()}
    spec = {
        "x": [float(value) for value in x],
        "series": [{"name": s.name, "y": list(s.y), "points": s.points} for s in series],
        "xLabel": x_label,
        "yLabel": y_label,
    }
    return pack(spec | words, {})
