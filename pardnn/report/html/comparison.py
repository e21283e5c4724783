"""The report of several methods side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from pardnn.report.html.chart import bar
from pardnn.report.html.markup import Html, Part, join, shown, table, tag
from pardnn.report.html.origin import Origin
from pardnn.report.html.page import Section, page
from pardnn.report.html.sections.reproduce import reproduce
from pardnn.report.plan import speed_up
from pardnn.report.words import count, percent, us
from pardnn.units import format_size

Result = Mapping[str, Any]


def comparison_page(results: Sequence[Result], origin: Origin) -> bytes:
    """A section per graph, the fastest method first. results: as `pardnn compare --json` has them, by graph."""
    graphs = [(name, list(rows)) for name, rows in groupby(results, key=lambda row: str(row["graph"]))]
    title = Path(graphs[0][0]).name if len(graphs) == 1 else count(len(graphs), "graph")
    methods = count(len({row["method"] for row in results}), "method")
    intro = tag(
        "div",
        tag("h1", tag("bdi", shown(title))),
        tag("p", f"{methods} compared", class_="about"),
        tag("p", verdict(results), class_="verdict", id="verdict"),
        class_="intro",
    )
    sections = [_section(number, name, rows) for number, (name, rows) in enumerate(graphs)]
    return page(title, intro, [*sections, reproduce(origin)])


def verdict(results: Sequence[Result]) -> str:
    """Which method is best, in one sentence."""
    done = [row for row in results if not row["error"]]
    if not done:
        return "No method found a placement within the memory limits."
    graphs = dict.fromkeys(row["graph"] for row in results)
    if len(graphs) > 1:
        wins: dict[str, int] = {}
        for graph in graphs:
            rows = [row for row in done if row["graph"] == graph]
            least = min((row["makespan_us"] for row in rows), default=0)
            for row in rows:
                wins[row["method"]] = wins.get(row["method"], 0) + (row["makespan_us"] == least)
        best = min(wins, key=lambda method: (-wins[method], method))
        return f"{best} is fastest, or as fast as any, on {wins[best]} of {len(graphs)} graphs."
    first = min(done, key=lambda row: row["makespan_us"])
    said = f"{first['method']} is fastest: {us(first['makespan_us'])}, {speed_up(first):.2g} times as fast as one card"
    gap = first["gap"] if first["makespan_us"] else 0.0
    if gap is None:
        return f"{said}."
    return f"{said}; {'nothing can be faster' if gap <= 0 else f'at most {percent(gap)} from the best possible'}."


def _section(number: int, name: str, rows: Sequence[Result]) -> Section:
    done = sorted((row for row in rows if not row["error"]), key=lambda row: row["makespan_us"])
    failed = [row for row in rows if row["error"]]
    longest = max((row["makespan_us"] for row in done), default=0.0)
    heads: list[Part] = ["method", "", "step time", "over best", "speed-up", "highest peak", "sent", "transfers"]
    body = join([
        tag("p", f"Lower bound, which no placement beats: {us(done[0]['lower_bound_us'])} (the mark); one card: "
            f"{us(done[0]['single_device_us'])}.", class_="note") if done else None,
        table(heads, [_row(row, done[0], longest) for row in done], caption="Methods, the fastest first"),
        _failures(failed),
        *_warnings(rows),
    ])  # fmt: skip
    return Section(f"graph-{number}", shown(Path(name).name), body)


def _row(row: Result, best: Result, longest: float) -> list[Part]:
    over = row["makespan_us"] / best["makespan_us"] - 1 if best["makespan_us"] else 0.0
    return [
        row["method"],
        tag("td", bar(row["makespan_us"], longest, row["lower_bound_us"]), class_="bar-cell"),
        us(row["makespan_us"]),
        percent(over) if over else "best",
        f"{speed_up(row):.2f} ×",
        format_size(max(row["peak_bytes"])),
        format_size(row["comm_bytes"]),
        f"{row['transfers']:,}",
    ]


def _failures(rows: Sequence[Result]) -> Html | None:
    if not rows:
        return None
    found = tag("ul", [tag("li", f"{row['method']}: {row['error']}") for row in rows], class_="warnings")
    return join([tag("h3", "No placement"), found])


def _warnings(rows: Sequence[Result]) -> list[Html]:
    lines = list(dict.fromkeys(line for row in rows for line in row.get("warnings", ())))
    return [tag("h3", "Warnings"), tag("ul", [tag("li", line) for line in lines], class_="warnings")] if lines else []
