"""How much each device holds over the step, against its limit, and what that is at the peak."""

from __future__ import annotations

from numpy.typing import ArrayLike

from pardnn.report.html.markup import Html, Part, brief, join, shown, table, tag
from pardnn.report.html.pack import pack
from pardnn.report.html.page import Section
from pardnn.report.html.sections.devices import swatch
from pardnn.report.html.step import Step, at_peak, envelope
from pardnn.units import format_size, format_time

MOST_DEVICES = 32
"""Devices drawn one by one, the fullest."""
_POINTS, _OPS = 4096, 8
_FLAT = 0.1
"""Where less than such a share of the limit is ever held, the curve is drawn without it."""


def memory(step: Step) -> Section:
    """A curve and a table per device."""
    rows = step.result["per_device"]
    full = sorted(range(step.machine.k), key=lambda d: (-_fill(rows[d]), d))[:MOST_DEVICES]
    columns: dict[str, ArrayLike | bytes] = {}
    values, cards = [], []
    held = step.held()
    for d in sorted(full):
        time, level = held[d]
        peak = int(level.argmax())
        columns[f"time{d}"], columns[f"held{d}"] = envelope(time, level, step.makespan_ns, _POINTS)
        label = f"{brief(step.machine.devices[d])} at most {format_size(int(level[peak]))}"
        values.append({"device": d, "limit": step.limit(d), "label": label})
        cards.append(_card(step, d, int(time[peak]), int(level[peak])))
    left = step.machine.k - len(full)
    notes = f" The {len(full)} fullest of {step.machine.k} devices." if left else ""
    body = join(
        [
            tag("p", "Dashed: the limit. The tables say what is held at the highest point." + notes, class_="note"),
            tag("div", cards, class_="memories"),
        ]
    )
    return Section("memory", "Memory", body, pack({"plots": values, "makespan": step.makespan_ns}, columns))


def _fill(row: dict[str, int]) -> float:
    return float(row["peak_bytes"] / (row["limit_bytes"] or 2**63))


def _card(step: Step, device: int, moment: int, level: int) -> Html:
    limit = step.limit(device)
    of = "no limit" if limit is None else f"{100 * level / limit if limit else 100:.0f} % of {format_size(limit)}"
    of += ", which is far above this picture" if limit is not None and level < _FLAT * limit else ""
    top = at_peak(step, device, moment, _OPS)
    heads: list[Part] = ["op", "what", "bytes"]
    rows: list[list[Part]] = [
        [tag("bdi", shown(step.names[v]), class_="name"), tag("td", what), format_size(size)] for v, what, size in top
    ]
    rest = level - sum(size for _, _, size in top)
    if rest > 0 and top:
        rows.append(["all others", tag("td", ""), format_size(rest)])
    return tag(
        "article",
        tag("h3", swatch(device), brief(step.machine.devices[device])),
        tag("p", f"{format_size(level)} at {format_time(moment)}, {of}", class_="note"),
        tag("div", class_="plot small", id=f"memory-{device}"),
        tag("details", tag("summary", "At the peak"), table(heads, rows, caption="Largest at the peak"))
        if top
        else None,
        class_="memory",
    )
