"""How far the figures can be trusted: where times come from, what was not known, what was warned of."""

from __future__ import annotations

from collections.abc import Sequence

from pardnn.report.html.markup import Part, join, table, tag
from pardnn.report.html.page import Section
from pardnn.report.html.step import Step
from pardnn.units import format_time

_WORDS = {
    "measured": "measured, or given with the graph",
    "learned": "predicted from measured ops",
    "roofline": "estimated from work and traffic (roofline)",
    "default": "estimated from its bytes alone",
}
_COUNTS = {
    "unknown_shape": "ops with unknown dimensions, which count as 1",
    "pruned": "ops that a step does not run, left out",
    "grouped": "ops that must share a device with others",
}


def warned(warnings: Sequence[str]) -> Section:
    """The warnings alone."""
    found = tag("ul", [tag("li", line) for line in warnings], class_="warnings") if warnings else tag("p", "None.")
    return Section("warnings", "Warnings", found)


def coverage(step: Step) -> Section:
    """Ops and their time by source, then notes and warnings."""
    found: dict[str, list[int]] = {}
    for source, ns in zip(step.source, step.time_ns.tolist(), strict=True):
        entry = found.setdefault(source, [0, 0])
        entry[0] += 1
        entry[1] += ns
    total = max(sum(ns for _, ns in found.values()), 1)
    rows: list[list[Part]] = [
        [_WORDS.get(source, source), f"{n:,}", format_time(ns), f"{100 * ns / total:.1f} %"]
        for source, (n, ns) in sorted(found.items(), key=lambda entry: -entry[1][1])
    ]
    numbers = step.result["coverage"]
    counted = [f"{numbers[key]:,} {words}" for key, words in _COUNTS.items() if numbers.get(key)]
    body = join(
        [
            table(["time of ops", "ops", "work", "share"], rows, caption="Where times come from"),
            tag("ul", [tag("li", line) for line in counted]) if counted else None,
            tag("h3", "Warnings"),
            warned(step.result["warnings"]).body,
        ]
    )
    return Section("coverage", "Coverage and warnings", body)
