"""When every op runs and every tensor is sent: the data of the page's main picture, and the place where it is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pardnn.report.html.markup import Html, brief, join, tag
from pardnn.report.html.pack import codes, names, pack
from pardnn.report.html.page import Section
from pardnn.report.html.step import Step
from pardnn.report.words import count, percent

_HELP = (
    "Each bar is an op, each thin bar a transfer on a link it holds. Drag to zoom, or turn the wheel after a click; "
    "double-click for the whole step. Keys: ← → move, + − zoom, 0 all, [ ] the op before or after."
)
MOST_OPS = 250_000
"""Ops sent one by one: the longest ones. The rest of a larger graph is a shade."""
MOST_TRANSFERS = 100_000
_SPOKEN = {"in": "Zoom in", "out": "Zoom out", "left": "Earlier", "right": "Later"}
_BINS = 2048
"""Of the shade that stands for what is not sent one by one."""


def timeline(step: Step, most_ops: int = MOST_OPS, most_transfers: int = MOST_TRANSFERS) -> Section:
    """Lanes of devices and links over the step's time, and all that the script knows of ops."""
    kept = longest(step.time_ns, most_ops)
    sent = longest(step.schedule.transfer_finish_ns - step.schedule.transfer_start_ns, most_transfers)
    note = [_HELP, _left_out(step, kept, len(sent))]
    body = join([
        tag("p", note, class_="note"),
        tag("div", _buttons(), class_="tools", role="group", aria_label="Zoom"),
        tag(
            "div", class_="plot", id="timeline-plot", tabindex="0", role="application",
            aria_label="Timeline: arrow keys move, plus and minus zoom", aria_describedby="range",
        ),
        tag("div", id="chosen", class_="card", aria_live="polite"),
        tag("noscript", tag("p", "The pictures need JavaScript; the tables do not.")),
    ])  # fmt: skip
    return Section("timeline", "Timeline", body, pack(_values(step, kept), _columns(step, kept, sent)))


def longest(time_ns: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """The numbers of the `most` longest, in rising order; of equal ones the first."""
    if len(time_ns) <= most:
        return np.arange(len(time_ns))
    return np.sort(np.argsort(-time_ns, kind="stable")[:most])


def _buttons() -> Html:
    named = (("in", "+"), ("out", "−"), ("left", "←"), ("right", "→"), ("all", "Whole step"))
    return join(
        [
            [tag("button", text, type="button", data_zoom=key, aria_label=_SPOKEN.get(key)) for key, text in named],
            tag("output", id="range"),
        ]
    )


def _left_out(step: Step, kept: NDArray[np.int64], sent: int) -> str:
    total, all_sent = len(step.names), len(step.schedule.transfer_src)
    words = ""
    if len(kept) < total:
        share = step.time_ns[kept].sum() / max(int(step.time_ns.sum()), 1)
        words = f" Shown one by one: the {len(kept):,} longest of {count(total, 'op')}, {percent(share)} of the work;"
        words += " the rest is a shade behind them."
    if sent < all_sent:
        words += f" Of {count(all_sent, 'transfer')} the {sent:,} longest are shown."
    return words


def _values(step: Step, kept: NDArray[np.int64]) -> dict[str, Any]:
    k, used = step.machine.k, range(step.machine.k)
    pairs = np.unique(step.sender.astype(np.int64) * k + step.schedule.transfer_device).tolist()
    kinds, reasons, sources = (codes(column)[0] for column in _coded(step, kept))
    return {
        "devices": [brief(step.machine.devices[d]) for d in used],
        "links": [brief(link) for link in step.machine.links],
        "paths": {str(pair): step.links_of(*divmod(pair, k)) for pair in pairs},
        "makespan": step.makespan_ns,
        "kinds": kinds,
        "reasons": reasons,
        "sources": sources,
        "bins": 0 if len(kept) == len(step.names) else _BINS,
    }


def _coded(step: Step, kept: NDArray[np.int64]) -> list[list[str]]:
    every = len(kept) == len(step.names)
    texts = (step.ops, step.why, step.source)
    return [list(column) if every else [column[v] for v in kept.tolist()] for column in texts]


def _columns(step: Step, kept: NDArray[np.int64], sent: NDArray[np.int64]) -> dict[str, ArrayLike | bytes]:
    schedule, work = step.schedule, step.workload
    number = np.zeros(len(step.names), np.int64)  # 0 = not among those sent one by one
    number[kept] = np.arange(1, len(kept) + 1)
    kind, reason, source = (codes(column)[1] for column in _coded(step, kept))
    columns: dict[str, ArrayLike | bytes] = {
        **names(step.names[v] for v in kept.tolist()),
        "kind": kind,
        "reason": reason,
        "source": source,
        "device": step.place[kept],
        "start": schedule.start_ns[kept],
        "time": step.time_ns[kept],
        "slack": step.slack_ns[kept],
        "resident": work.resident_bytes[kept],
        "output": work.output_bytes[kept],
        "temp": work.temp_bytes[kept],
        "sent_op": number[schedule.transfer_src[sent]],
        "sent_from": step.sender[sent],
        "sent_to": schedule.transfer_device[sent],
        "sent_bytes": schedule.transfer_bytes[sent],
        "sent_start": schedule.transfer_start_ns[sent],
        "sent_time": (schedule.transfer_finish_ns - schedule.transfer_start_ns)[sent],
    }
    if step.band_ns is not None:
        columns |= {"least": step.band_ns[kept, 0], "most": step.band_ns[kept, 1]}
    if len(kept) < len(step.names):
        columns["shade"] = _shade(step, number == 0)
    return columns


def _shade(step: Step, rest: NDArray[np.bool_]) -> NDArray[np.int64]:
    """[k * bins] per mille of each span in which a device runs ops that are not sent one by one."""
    found = np.zeros((step.machine.k, _BINS), np.float64)
    width = max(step.makespan_ns, 1) / _BINS
    middle = (step.schedule.start_ns[rest] + step.time_ns[rest] // 2) / width
    np.add.at(found, (step.place[rest], np.minimum(middle.astype(np.int64), _BINS - 1)), step.time_ns[rest])
    return np.minimum(np.ceil(1000 * found / width), 1000).astype(np.int64).ravel()
