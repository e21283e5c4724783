"""Who sends how much to whom."""

from __future__ import annotations

import numpy as np

from pardnn.report.html.markup import Html, Part, brief, join, table, tag
from pardnn.report.html.page import Section
from pardnn.report.html.sections.devices import name
from pardnn.report.html.step import Step, traffic
from pardnn.report.words import count
from pardnn.units import format_size

_MOST = 32
"""Devices shown, those with the most traffic."""
_SHADES = 6


def matrix(step: Step) -> Section:
    """The traffic matrix: rows send, columns receive."""
    sent = traffic(step)
    busy = np.sort(np.argsort(-(sent.sum(axis=0) + sent.sum(axis=1)), kind="stable")[:_MOST]).tolist()
    most = int(sent.max(initial=0))
    if not most:
        return Section("traffic", "Traffic", tag("p", "Nothing is sent from device to device."))
    heads: list[Part] = ["from \\ to", *(brief(step.machine.devices[d]) for d in busy), "sum"]
    rows: list[list[Part]] = [
        [name(step, a), *(_cell(int(sent[a, b]), most, same=a == b) for b in busy), format_size(int(sent[a].sum()))]
        for a in busy
    ]
    rows.append(["sum", *(format_size(int(sent[:, b].sum())) for b in busy), format_size(int(sent.sum()))])
    left = step.machine.k - len(busy)
    note = f"{count(len(step.schedule.transfer_src), 'transfer')}; a tensor goes to a device once, however many read it"
    note += " there. The darker, the more."
    note += f" {count(left, 'device')} with less traffic not shown." if left else ""
    return Section(
        "traffic",
        "Traffic",
        join([tag("p", note, class_="note"), table(heads, rows, caption="Bytes sent", class_="matrix")]),
    )


def _cell(size: int, most: int, *, same: bool) -> Html:
    if same or not size:
        return tag("td", "·" if same else "0", class_="figure none")
    return tag("td", format_size(size), class_=f"figure heat{-(-_SHADES * size // most)}")
