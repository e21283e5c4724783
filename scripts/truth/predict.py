"""Each plan's step as it was measured and as it is predicted.

Two predictions, each the simulated step and what a call costs that only brings the feeds. Ops' times are those measured
one by one on one core, times a factor per model and run: what a step took on one worker in the same run, by turns with
the others, over what it takes by the simulator. So a machine that is slower for some minutes is no error of the
simulator's, and the plan `one` is no proof of it.

naive    `scheduler.simulate`, as for GPUs: one op at a time, first in first out, transfers cost nobody's time
shared   `scheduler.sharing`: threads by turns on a core, and sending is work, whose cost was probed in the same run

A run's figure is the median of its steps, as fixed beforehand (`median`), or its fastest step (`fastest`): what else
the host does only adds to steps, and to those on two cores more often.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from pardnn.problem import Placement
from pardnn.subject import Subject
from scheduler.schedule import Schedule
from scheduler.sharing import simulate_sharing
from scheduler.simulate import simulate
from scheduler.workload import Workload
from scripts.truth.order import agreement
from scripts.truth.plans import machine_of, sharing_of, subject_of
from scripts.truth.settings import MODELS, ONE, PLANS, Model

HOWS = ("naive", "shared")
CLOCKS: dict[str, Callable[[Sequence[float]], float]] = {"median": median, "fastest": min}


@dataclass(frozen=True)
class Row:
    """A model under a plan. Times in seconds."""

    model: Model
    plan: str
    measured: tuple[float, ...]
    """Of each run."""
    predicted: dict[str, tuple[float, ...]]
    """By prediction, for each run."""
    transfers: int
    sent_bytes: int
    schedule: Schedule
    """The one of `shared`, for the last run."""
    order: float
    """Kendall's tau between the order in which ops began in a traced step and that of `schedule`."""

    @property
    def step(self) -> float:
        """The median over the runs."""
        return median(self.measured)

    @property
    def spread(self) -> float:
        """From the fastest run to the slowest, as a share of the median."""
        return (max(self.measured) - min(self.measured)) / self.step

    def said(self, how: str) -> float:
        """The median over the runs of a prediction."""
        return median(self.predicted[how])

    def error(self, how: str) -> float:
        """Of a prediction, as a share of what was measured; the median over the runs."""
        return median(said / real - 1 for said, real in zip(self.predicted[how], self.measured, strict=True))

    def within(self, how: str) -> bool:
        """Whether the error is at most 15 %, or twice what lies between the runs."""
        return abs(self.error(how)) <= max(0.15, 2 * self.spread)


def shared_schedule(subject: Subject, placement: Placement, facts: dict[str, Any], factor: float = 1.0) -> Schedule:
    """A step as `shared` has it, under the facts of a run."""
    problem = subject.problem
    return simulate_sharing(_scaled(problem.workload, factor), problem.machine, placement, sharing_of(facts["sent"]))


def rows_of(folder: Path, model: Model, clock: str = "median") -> list[Row]:
    """The rows of a model that was run."""
    own = folder / model.name
    subject = subject_of(own, machine_of(folder))
    return [_row(model, plan, subject, own, CLOCKS[clock]) for plan in PLANS if runs_of(own, plan)]


def _row(model: Model, plan: str, subject: Subject, own: Path, clock: Callable[[Sequence[float]], float]) -> Row:
    machine, work = subject.problem.machine, subject.problem.workload
    placement, one = placement_of(subject, own, plan), placement_of(subject, own, ONE)
    predicted: dict[str, list[float]] = {how: [] for how in HOWS}
    runs = runs_of(own, plan)
    for run in runs:
        call = clock(run["call_s"])
        alone = clock(run["one_step_s"]) - clock(run["one_call_s"])
        factor = max(alone / (simulate(work, machine, one).makespan_ns / 1e9), 0.1)
        predicted["naive"].append(call + simulate(_scaled(work, factor), machine, placement).makespan_ns / 1e9)
        factor = max(alone / (shared_schedule(subject, one, run).makespan_ns / 1e9), 0.1)
        schedule = shared_schedule(subject, placement, run, factor)
        predicted["shared"].append(call + schedule.makespan_ns / 1e9)
    return Row(
        model, plan, tuple(clock(run["step_s"]) for run in runs), {how: tuple(said) for how, said in predicted.items()},
        len(schedule.transfer_src), schedule.sent_bytes, schedule, agreement(own / f"{plan}.0.pb", subject, schedule),
    )  # fmt: skip


def _scaled(work: Workload, factor: float) -> Workload:
    return replace(work, time_ns=np.rint(work.time_ns * factor).astype(np.int64))


def placement_of(subject: Subject, folder: Path, plan: str) -> Placement:
    """[n] the worker of each op; what is fed comes in at the session's own worker, wherever the plan has it."""
    tasks = json.loads((folder / f"{plan}.json").read_text())
    fed = {"Placeholder"}
    return np.array(
        [0 if op in fed else tasks[name] for name, op in zip(subject.names, subject.ops, strict=True)], np.int32
    )


def runs_of(folder: Path, plan: str) -> list[dict[str, Any]]:
    """The facts of each run of a plan."""
    return [json.loads(path.read_text()) for path in sorted(folder.glob(f"{plan}.[0-9].json"))]


def all_rows(folder: Path, names: list[str], clock: str = "median") -> list[Row]:
    """Of the models named that were run."""
    there = [model for model in MODELS if model.name in names and runs_of(folder / model.name, ONE)]
    return [row for model in there for row in rows_of(folder, model, clock)]
