"""The report of a model of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pardnn.report.html.chart import Line, drawn, lines
from pardnn.report.html.markup import Part, join, shown, table, tag
from pardnn.report.html.origin import Origin
from pardnn.report.html.page import Section, page
from pardnn.report.html.sections.coverage import warned
from pardnn.report.html.sections.reproduce import reproduce
from pardnn.report.words import count, percent

Found = Mapping[str, Any]
Points = tuple[Sequence[float], Sequence[float]]
"""(measured, predicted)"""
_MOST = 5000
"""Points drawn of each kind, evenly chosen."""


def fit_page(found: Found, name: str, learned: Points, new: Points | None, origin: Origin) -> bytes:
    """The page of `pardnn fit --json`, with the rows learned from, and new ones where they were measured."""
    title = shown(Path(name).name)
    about = f"{found['target']} of {count(found['rows'], 'run')}, {count(len(found['columns']), 'column')}"
    intro = tag(
        "div",
        tag("h1", tag("bdi", title)),
        tag("p", about, class_="about"),
        tag("p", verdict(found), class_="verdict", id="verdict"),
        class_="intro",
    )
    sections = [_effects(found), _picture(found, learned, new), _terms(found)]
    return page(title, intro, [*sections, warned(found["warnings"]), reproduce(origin)])


def verdict(found: Found) -> str:
    """How well the model predicts, and what drives the target most, in one sentence."""
    where = "rows kept out (cross-validation)" if found["test_on"] == "cross-validation" else found["test_on"]
    said = f"{found['target']} is predicted within {percent(found['test_mape'])} on average on {where}"
    return f"{said}; {found['effects'][0]['words'].rstrip('.')}." if found["effects"] else f"{said}."


def _effects(found: Found) -> Section:
    rows: list[list[Part]] = [
        [row["column"], tag("td", row["role"]), tag("td", row["words"], class_="words"), _interval(row, "times")]
        for row in found["effects"]
    ]
    heads: list[Part] = ["column", "role", "what it does", "factor, 95 %"]
    return Section("effects", "What drives it", table(heads, rows, left=3, caption="Columns, the strongest first"))


def _picture(found: Found, learned: Points, new: Points | None) -> Section:
    series = [("learned from", *_thinned(learned)), *([("new rows", *_thinned(new))] if new is not None else [])]
    x = sorted({float(v) for _, measured, _ in series for v in measured})
    place = {value: at for at, value in enumerate(x)}
    drawn_series = [Line("equal", x)]
    for name, measured, predicted in series:
        column: list[float | None] = [None] * len(x)
        for value, guess in zip(measured, predicted, strict=True):
            column[place[float(value)]] = float(guess)
        drawn_series.append(Line(name, column, points=True))
    data = drawn(x, drawn_series, f"measured {found['target']}", "predicted", x_log=10, y_log=10)
    note = "A point per run; on the line prediction and measurement are equal."
    body = join([tag("p", note, class_="note"), lines("fit", "Measured beside predicted")])
    return Section("fit", "Measured and predicted", body, data)


def _thinned(points: Points) -> Points:
    step = -(-len(points[0]) // _MOST) or 1
    return points[0][::step], points[1][::step]


def _terms(found: Found) -> Section:
    rows: list[list[Part]] = [
        [
            percent(term["share"]),
            tag("td", _interval(term["factor"])),
            tag(
                "td",
                "  ".join(
                    [f"{name}^{_interval(power, digits='.2f')}" for name, power in term["powers"].items()]
                    + [f"({name}: × {_interval(level, digits='.2f')})" for name, level in term["levels"].items()]
                ),
                class_="words",
            ),
        ]
        for term in found["terms"]
    ]
    heads: list[Part] = ["share of it", "factor", "powers and kinds, with 95 % intervals"]
    note = f"{found['target']} = {_interval(found['constant'])} + the sum of these products."
    body = join([tag("p", note, class_="note"), table(heads, rows, left=3, caption="Products")])
    return Section("model", "The model", body)


def _interval(figure: Found, key: str = "value", digits: str = ".3g") -> str:
    value = f"{figure[key]:{digits}}"
    return value if figure["low"] is None else f"{value} [{figure['low']:{digits}}, {figure['high']:{digits}}]"
