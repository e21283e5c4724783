"""Each plan's step as it was measured and as it is predicted.

Two predictions, each the simulated step and what a call costs that only brings the feeds. Ops' times are those measured
one by one on one core, times a factor per model and run: what a step took on one worker in the same run, by turns with
the others, over what it takes by the simulator. So a machine that is slower for some minutes is no error of the
simulator's, and the plan `one` is no proof of it.

naive    `scheduler.simulate`, as for GPUs: one op at a time, first in first out, transfers cost nobody's time
shared   `scheduler.sharing`: two threads a worker, and sending is work; its constants are those of `micro`
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from pardnn.machines.link import fit_link
from pardnn.subject import Subject
from scheduler.schedule import Schedule
from scheduler.sharing import Sharing, simulate_sharing
from scheduler.simulate import simulate
from scripts.truth.plans import machine_of, subject_of
from scripts.truth.settings import INTER_OP_THREADS, MODELS, PLANS, Model

HOWS = ("naive", "shared")


@dataclass(frozen=True)
class Row:
    """A model under a plan. Times in seconds."""

    model: Model
    plan: str
    measured: tuple[float, ...]
    """Per run, the median of its steps."""
    call: float
    predicted: dict[str, tuple[float, ...]]
    """By prediction, for each run."""
    transfers: int
    sent_bytes: int
    schedule: Schedule

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


def sharing_of(micro: dict[str, Any]) -> Sharing:
    """What a worker's processor does for a transfer, from work that is done beside many of them."""
    ends = {}
    for end, column in ((0, 3), (1, 4)):
        alone = micro["work"][end]
        costs = [(row[0], max(row[column] - alone, 0.0) / row[1]) for row in micro["beside"]]
        ends[end] = fit_link(*zip(*costs, strict=True))
    one, flown = micro["beside"][0], micro["link"][1][0]
    return Sharing(
        slots=INTER_OP_THREADS, cheap_ns=0, send_ns=ends[0].latency_ns, receive_ns=ends[1].latency_ns,
        flight_ns=max(round(1e9 * (flown - one[2] / one[1])), 0),  # small ones follow each other faster than they fly
        send_s_per_byte=1 / ends[0].bytes_per_s, receive_s_per_byte=1 / ends[1].bytes_per_s,
    )  # fmt: skip


def rows_of(folder: Path, model: Model) -> list[Row]:
    """The rows of a model that was run."""
    own = folder / model.name
    subject = subject_of(own, machine_of(folder))
    sharing = sharing_of(json.loads((folder / "micro.json").read_text()))
    runs = {plan: _runs(own, plan) for plan in PLANS}
    alone = subject.problem.simulate(placement_of(subject, own, "one")).makespan_ns / 1e9
    factors = [(median(run["step_s"]) - median(run["call_s"])) / alone for run in runs["one"]]
    return [
        _row(model, plan, subject, placement_of(subject, own, plan), sharing, factors, runs[plan]) for plan in PLANS
    ]


def _row(
    model: Model, plan: str, subject: Subject, placement: Any, sharing: Sharing,
    factors: list[float], runs: list[dict[str, Any]],
) -> Row:  # fmt: skip
    machine = subject.problem.machine
    call = median(call for run in runs for call in run["call_s"])
    predicted: dict[str, list[float]] = {how: [] for how in HOWS}
    for factor in factors:
        own = subject.problem.workload
        work = replace(own, time_ns=np.rint(own.time_ns * max(factor, 0.1)).astype(np.int64))
        predicted["naive"].append(call + simulate(work, machine, placement).makespan_ns / 1e9)
        schedule = simulate_sharing(work, machine, placement, sharing)
        predicted["shared"].append(call + schedule.makespan_ns / 1e9)
    return Row(
        model, plan, tuple(median(run["step_s"]) for run in runs), call,
        {how: tuple(said) for how, said in predicted.items()},
        len(schedule.transfer_src), schedule.sent_bytes, schedule,
    )  # fmt: skip


def placement_of(subject: Subject, folder: Path, plan: str) -> Any:
    """[n] the worker of each op; what is fed comes in at the session's own worker, wherever the plan has it."""
    tasks = json.loads((folder / f"{plan}.json").read_text())
    fed = {"Placeholder"}
    return np.array(
        [0 if op in fed else tasks[name] for name, op in zip(subject.names, subject.ops, strict=True)], np.int32
    )


def _runs(folder: Path, plan: str) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(folder.glob(f"{plan}.[0-9].json"))]


def all_rows(folder: Path, names: list[str]) -> list[Row]:
    """Of the models named that were run."""
    there = [model for model in MODELS if model.name in names and (folder / model.name / f"{PLANS[0]}.0.json").exists()]
    return [row for model in there for row in rows_of(folder, model)]
