"""The report of a sweep: methods over all graphs and machines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pardnn.report.html.chart import Line, bar, drawn, lines
from pardnn.report.html.markup import Html, Part, join, shown, table, tag
from pardnn.report.html.origin import Origin
from pardnn.report.html.page import Section, page
from pardnn.report.html.sections.reproduce import reproduce
from pardnn.report.sweep import MethodLine
from pardnn.report.words import count, percent

_SHADES = 6
_WORST = 2.0
"""From here on a field is as dark as can be."""


@dataclass(frozen=True)
class Overview:
    """What a sweep found, as means over its cells."""

    methods: Sequence[MethodLine]
    status: Mapping[str, int]
    """How many cells ended how."""
    speed_ups: Mapping[str, Mapping[str, Mapping[int, float]]]
    """Machine -> method -> number of devices -> geometric mean of the speed-ups."""
    over_best: Mapping[str, Mapping[str, float]]
    """Graph -> method -> geometric mean of step time over the best method's."""
    failures: Sequence[tuple[str, str]] = ()
    """(cell, why) of those without a placement."""


def sweep_page(name: str, found: Overview, origin: Origin) -> bytes:
    """The page of a sweep."""
    cells = sum(found.status.values())
    ended = ", ".join(f"{number:,} {how}" for how, number in found.status.items())
    intro = tag(
        "div",
        tag("h1", tag("bdi", shown(name))),
        tag("p", f"{count(cells, 'cell')}: {ended}", class_="about"),
        tag("p", verdict(found), class_="verdict", id="verdict"),
        class_="intro",
    )
    sections = [_methods(found), *_speed_ups(found), *_heat(found), *_failures(found)]
    return page(name, intro, [*sections, reproduce(origin)])


def verdict(found: Overview) -> str:
    """Which method is best over all, in one sentence."""
    if not found.methods:
        return "No cell has a placement."
    best = min(found.methods, key=lambda line: line.over_best)
    return (
        f"{best.method} is best over all: on average {percent(best.over_best - 1)} above the fastest step found, at "
        f"worst {percent(best.worst - 1)}; {best.speed_up:.2g} times as fast as one card."
    )


def _methods(found: Overview) -> Section:
    heads: list[Part] = ["method", "", "over best", "at worst", "speed-up", "best in", "placements"]
    longest = max((line.over_best for line in found.methods), default=1.0)
    rows: list[list[Part]] = [
        [
            line.method, tag("td", bar(line.over_best, longest, 1.0), class_="bar-cell"), percent(line.over_best - 1),
            percent(line.worst - 1), f"{line.speed_up:.2f} ×", f"{line.best_in:,}", f"{line.placements:,}",
        ]
        for line in sorted(found.methods, key=lambda line: line.over_best)
    ]  # fmt: skip
    note = "Step time over the best method's on the same question, as geometric means; the mark is the best."
    return Section("methods", "Methods", join([tag("p", note, class_="note"), table(heads, rows, caption="Methods")]))


def _speed_ups(found: Overview) -> list[Section]:
    sections = []
    for number, (machine, methods) in enumerate(found.speed_ups.items()):
        counts = sorted({k for those in methods.values() for k in those})
        if len(counts) < 2:
            continue
        series = [Line(method, [those.get(k) for k in counts]) for method, those in methods.items()]
        key = f"speed-up-{number}"
        data = drawn(counts, series, "devices", "speed-up over one", x_log=2, y_kind="ratio", only=True)
        sections.append(Section(key, f"Speed-up on {shown(machine)}", lines(key, f"Speed-up on {machine}"), data))
    return sections


def _heat(found: Overview) -> list[Section]:
    if not found.over_best:
        return []
    methods = list(dict.fromkeys(method for those in found.over_best.values() for method in those))
    rows: list[list[Part]] = [
        [tag("bdi", shown(graph)), *(_field(those.get(method)) for method in methods)]
        for graph, those in found.over_best.items()
    ]
    note = "Step time over the best method's: 1.00 is the best; empty where a method has no placement."
    body = [tag("p", note, class_="note"), table(["graph", *methods], rows, caption="By graph", class_="matrix")]
    return [Section("graphs", "Graph by graph", join(body))]


def _field(ratio: float | None) -> Html:
    if ratio is None:
        return tag("td", "", class_="figure")
    shade = round(_SHADES * min(1.0, (ratio - 1) / (_WORST - 1)))
    return tag("td", f"{ratio:.2f}", class_=f"figure heat{shade}" if shade else "figure")


def _failures(found: Overview) -> list[Section]:
    if not found.failures:
        return []
    rows: list[list[Part]] = [[cell, tag("td", why, class_="words")] for cell, why in found.failures]
    return [Section("failures", "No placement", table(["cell", "why"], rows, left=2, caption="Cells without one"))]
