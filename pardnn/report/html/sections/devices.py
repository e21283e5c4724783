"""What each device does with the step: works, waits for what it receives, or does nothing."""

from __future__ import annotations

import numpy as np

from pardnn.report.html.chart import HIGH, WIDE, track
from pardnn.report.html.markup import Html, Part, brief, join, table, tag
from pardnn.report.html.page import Section
from pardnn.report.html.step import Step, shares, traffic
from pardnn.units import format_size, format_time


def devices(step: Step) -> Section:
    """A bar and a row of figures per device."""
    time, sent = shares(step), traffic(step)
    heads: list[Part] = [
        "device", "", "ops", "works", "receives only", "idle", "sends", "receives", "peak", "limit",
    ]  # fmt: skip
    rows = [
        [
            name(step, d), tag("td", bar(time[d].tolist(), step.makespan_ns, d), class_="bar-cell"),
            f"{int(np.count_nonzero(step.place == d)):,}", *(_time(ns, step.makespan_ns) for ns in time[d].tolist()),
            format_size(int(sent[d].sum())), format_size(int(sent[:, d].sum())),
            format_size(step.result["per_device"][d]["peak_bytes"]), _limit(step.limit(d)),
        ]
        for d in range(step.machine.k)
    ]  # fmt: skip
    note = tag(
        "p",
        "Solid: the device works. Pale: it does not, but receives. Empty: neither.",
        class_="note",
    )
    return Section("devices", "Devices", join([note, table(heads, rows, caption="Work, traffic and idle per device")]))


def bar(parts: list[int], whole: int, device: int) -> Html:
    """Time at work and time only receiving, as one bar."""
    scale = WIDE / whole if whole else 0
    work, receive = (round(part * scale) for part in parts[:2])
    fill = f"fill dev{device % 8}"
    return track(
        tag("rect", class_=fill, width=work, height=HIGH) if work else None,
        tag("rect", class_=f"{fill} faint", x=str(work), width=receive, height=HIGH) if receive else None,
    )


def name(step: Step, device: int) -> Html:
    """A device with its colour."""
    return join([swatch(device), brief(step.machine.devices[device])])


def swatch(device: int) -> Html:
    """A small square in a device's colour."""
    return tag("span", class_=f"swatch dev{device % 8}", aria_hidden="true")


def _time(ns: int, whole: int) -> str:
    return "–" if not ns else f"{format_time(ns)} · {100 * ns / whole if whole else 0:.0f} %"


def _limit(limit: int | None) -> str:
    return "none" if limit is None else format_size(limit)
