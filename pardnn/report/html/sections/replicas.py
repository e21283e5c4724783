"""The plan beside data parallelism on the same GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pardnn.report.html.markup import Part, join, table, tag
from pardnn.report.html.page import Section
from pardnn.report.replicas import cells, choice, heads


def beside(found: Mapping[str, Any]) -> Section:
    """What `pardnn.answers.replicas` found, as a sentence and a table."""
    title = "Data parallelism instead"
    sentence = tag("p", choice(found))
    if not found["rows"]:
        return Section("replicas", title, sentence)
    gpus = found["rows"][0]["gpus_each"]
    note = f"Row 1x{gpus} is this plan. In the others, each replica of the step has a batch of its own; after each step"
    note += " they sum up the gradients (all-reduce). Where two rates stand, the all-reduce comes after the step, or is"
    note += " wholly hidden behind it."
    rows: list[list[Part]] = [list(cells(row)) for row in found["rows"]]
    figures = table(heads(found), rows, caption="Replicas x GPUs of each")
    return Section("replicas", title, join([sentence, tag("p", note, class_="note"), figures]))
