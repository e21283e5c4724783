"""The report of how a step scales."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pardnn.report.html.chart import Line, drawn, lines
from pardnn.report.html.markup import Part, join, shown, table, tag
from pardnn.report.html.origin import Origin
from pardnn.report.html.page import Section, page
from pardnn.report.html.sections.coverage import warned
from pardnn.report.html.sections.reproduce import reproduce
from pardnn.report.scaling import rate, verdict
from pardnn.report.words import count, percent, us
from pardnn.units import format_size

Found = Mapping[str, Any]


def scaling_page(found: Found, origin: Origin) -> bytes:
    """The page of `pardnn scale --json`: speed-up and step time by number of workers."""
    name = shown(Path(found["graph"]).name)
    about = f"{count(found['gpus_per_replica'], 'GPU')} a worker · {found['strategy']} over {found['link']} · "
    about += f"{format_size(found['gradient_bytes'])} of gradients"
    intro = tag(
        "div",
        tag("h1", tag("bdi", name)),
        tag("p", about, class_="about"),
        tag("p", verdict(found), class_="verdict", id="verdict"),
        class_="intro",
    )
    return page(name, intro, [*_charts(found), _rows(found), warned(found["warnings"]), reproduce(origin)])


def _charts(found: Found) -> list[Section]:
    rows = found["rows"]
    if len(rows) < 2:
        return []
    workers = [row["workers"] for row in rows]
    gains = [Line("simulated", [row["speed_up"] for row in rows]), Line("as many alone", workers)]
    times = [
        Line("step", [row["step_us"] * 1000 for row in rows]),
        Line("of it synchronisation that nothing hides", [max(row["added_us"], 0.0) * 1000 for row in rows]),
    ]
    pictures = (
        ("speed-up", "Speed-up", f"{found['unit']}/s beside one worker's", gains, {"y_kind": "ratio", "y_log": 2}),
        ("steps", "Step time", "time", times, {"y_kind": "time"}),
    )
    return [
        Section(key, title, lines(key, title), drawn(workers, series, "workers", axis, x_log=2, only=True, **how))
        for key, title, axis, series, how in pictures
    ]


def _rows(found: Found) -> Section:
    heads: list[Part] = [
        "workers", "held up by", "step", "to hide", "not hidden", "scaling", f"{found['unit']}/s",
    ]  # fmt: skip
    rows: list[list[Part]] = [
        [
            f"{row['workers']:,}", tag("td", row["bottleneck"]), us(row["step_us"]), us(row["sync_us"]),
            us(row["added_us"]), percent(row["scaling_factor"]), rate(row["per_second"]),
        ]
        for row in found["rows"]
    ]  # fmt: skip
    note = "To hide: what the busiest link has to carry; not hidden: what that adds to the step of a worker alone."
    body = join([tag("p", note, class_="note"), table(heads, rows, left=2, caption="By number of workers")])
    return Section("rows", "By number of workers", body)
