"""What all commands that look at a stored plan do first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pardnn.pipeline import UNMATCHED, Match, follow
from pardnn.placers.plan import read_plan
from pardnn.plan import Plan
from pardnn.recall import recall, uses_host
from pardnn.subject import pose


def follow_stored(
    graph: str, path: str, given: Mapping[str, Any], tell: Callable[[str], None], unmatched: float = UNMATCHED
) -> tuple[Plan, Match]:
    """The plan in a file put on the graph in another, under the plan's options but for those that are given."""
    stored = read_plan(path)
    asked = recall(stored, path, given)
    tell(f"reading {graph}")
    subject = pose(graph, asked, host=uses_host(stored))
    tell("simulating")
    return follow(subject, asked, stored, unmatched)
