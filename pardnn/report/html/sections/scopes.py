"""The graph by name scope, and the table of all ops: both are drawn from the timeline's data."""

from __future__ import annotations

from pardnn.report.html.markup import join, tag
from pardnn.report.html.page import Section
from pardnn.report.html.sections.devices import name
from pardnn.report.html.step import Step

_MOST = 16
_HELP = "Part of a name or a type finds ops. Click a head to sort. Enter or a double click shows an op in the timeline."


def scopes(step: Step) -> Section:
    """Nested boxes, as large as the time of the ops in them."""
    keys = [tag("li", name(step, d)) for d in range(min(step.machine.k, _MOST))]
    note = (
        "A box is a name scope, as large as the work in it; its colours say how much of that each device does. "
        "Click or press Enter to open a box, Escape to go back up."
    )
    body = join(
        [
            tag("p", note, class_="note"),
            tag("ul", keys, class_="keys", aria_label="Colours of devices"),
            tag("nav", class_="path", id="path", aria_label="Scope"),
            tag("div", class_="boxes", id="boxes", role="group", aria_label="Name scopes"),
        ]
    )
    return Section("scopes", "Graph", body)


def ops(step: Step) -> Section:
    """A table that draws only the rows in sight."""
    label = tag("label", "Search", tag("input", type="search", id="search", autocomplete="off", spellcheck="false"))
    body = join(
        [
            tag("p", _HELP, class_="note"),
            tag("div", label, tag("output", id="found"), class_="tools"),
            tag("div", class_="grid", id="ops-grid"),
            tag("div", class_="card", id="chosen-row"),
        ]
    )
    return Section("ops", "Ops", body)
