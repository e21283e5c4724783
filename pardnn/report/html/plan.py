"""The report of one plan."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pardnn.report.html.origin import Origin
from pardnn.report.html.page import Section, page
from pardnn.report.html.sections.coverage import coverage
from pardnn.report.html.sections.devices import devices
from pardnn.report.html.sections.memory import memory
from pardnn.report.html.sections.reproduce import reproduce
from pardnn.report.html.sections.scopes import ops, scopes
from pardnn.report.html.sections.summary import head
from pardnn.report.html.sections.timeline import timeline
from pardnn.report.html.sections.traffic import matrix
from pardnn.report.html.step import Step


def plan_page(step: Step, mem_bytes: Sequence[int | None], origin: Origin, more: Sequence[Section] = ()) -> bytes:
    """The page of a step. mem_bytes: per GPU, before the reserve; more: sections of the command's own.

    Below 8 MB for 200,000 ops with names as networks have them. O((n + m) log n).
    """
    parts = [timeline(step), memory(step), devices(step), matrix(step), scopes(step), ops(step), *more]
    title = Path(step.result["graph"]).name
    return page(title, head(step.result, mem_bytes), [*parts, coverage(step), reproduce(origin)])
