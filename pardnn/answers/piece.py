"""A piece of advice: a change under which the step was seen to fit, with the figures of that very simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from pardnn.config import Options
from pardnn.methods import aside
from pardnn.problem import Placement, Problem
from pardnn.subject import Subject
from scheduler.schedule import Schedule

T = TypeVar("T")
_HALVINGS = 4
REWRITTEN = ("accumulation", "recomputation", "offload")
"""The kinds for which the graph itself is another one, which no option says."""


@dataclass(frozen=True, eq=False)
class Piece:
    """What to change, and a placement of the changed step that keeps every device within its limits."""

    kind: str
    """gpus, batch, accumulation, recomputation or offload."""
    change: str
    """As it is typed, or what is done to the graph."""
    subject: Subject
    options: Options
    placement: Placement
    schedule: Schedule
    note: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def step_us(self) -> float:
        """Simulated; what searches longer only makes it faster."""
        return self.schedule.makespan_ns / 1000

    def result(self) -> dict[str, Any]:
        """By name, ready for JSON."""
        problem = self.subject.problem
        return {
            "kind": self.kind,
            "change": self.change,
            "gpus": problem.gpus,
            "nodes": problem.workload.dag.n,
            "edges": problem.workload.dag.m,
            "step_us": self.step_us,
            "peak_bytes": [int(b) for b in problem.peaks(self.schedule)[: problem.gpus]],
            "comm_bytes": self.schedule.sent_bytes,
            "note": self.note,
            **self.details,
        }


def fitting(problem: Problem, options: Options, placement: Placement | None) -> tuple[Placement, Schedule] | None:
    """The placement with its schedule, made faster by a short search where the method searches; None if it is None."""
    if placement is None:
        return None
    best = placement, problem.simulate(placement)
    search = aside(options.method, options.effort, [placement])
    if search is not None:
        found = search(problem, np.random.default_rng(options.seed))
        best = min(best, (found, problem.simulate(found)), key=lambda pair: pair[1].makespan_ns)
    assert (problem.peaks(best[1]) <= problem.machine.memory_bytes).all()
    return best


def gentlest(tried: Callable[[float], T | None]) -> T | None:
    """What was seen to work with the share nearest to 1: 0 is the most a change can do, and 1 leaves all as it is."""
    found = tried(0.0)
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS if found is not None else 0):
        share = (low + high) / 2
        more = tried(share)
        if more is None:
            high = share
        else:
            found, low = more, share
    return found
