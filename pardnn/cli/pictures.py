"""Files that a plan is written to: the plan itself, the placed graph, and what shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

import click

from pardnn.cli.outputs import PLAN, is_events
from pardnn.placers.plan import plan_bytes

if TYPE_CHECKING:
    from pardnn.plan import Plan
    from pardnn.report.html.page import Section


@dataclass
class Pictures:
    """The files that are asked for to look at a plan, and what is to be said of them once they are made."""

    html: str | None = None
    trace: str | None = None
    max_events: int | None = None
    notes: list[str] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    """Of the page, beside those of every plan."""

    @classmethod
    def taken(cls, given: dict[str, Any]) -> Self:
        """The options of `options.pictures`, taken out of what a command was given."""
        found = cls(given.pop("html"), given.pop("trace"), given.pop("max_events"))
        if found.max_events and found.trace is None:
            raise click.UsageError("--max-events is for --trace FILE.json.gz")
        return found

    @property
    def paths(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(path for path in (self.html, self.trace) if path is not None)

    def contents(self, plan: Plan, paths: Sequence[str]) -> list[bytes]:
        """What goes into each of the files, by their names: a picture, else the plan or the placed graph."""
        return [self._content(plan, path) for path in paths]

    def noted(self, plan: Plan) -> Plan:
        """The plan, with what there is to say of its pictures among its warnings."""
        return replace(plan, warnings=(*plan.warnings, *self.notes)) if self.notes else plan

    def _content(self, plan: Plan, path: str) -> bytes:
        if path == self.html:
            from pardnn.cli.typed import typed
            from pardnn.picture import report

            return report(plan, typed(), self.sections)
        if path == self.trace:
            trace = plan.timeline(**({"max_events": self.max_events} if self.max_events else {}))
            self.notes += [trace.dropped] if trace.dropped else []
            return trace.packed(path)
        if path.endswith(PLAN):
            return plan_bytes(plan.file())
        if is_events(path):
            from pardnn.answers.board import board

            return board(plan)
        return plan.placed_graph()
