"""The most each worker holds: by the records of a traced step, by whole outputs, and by buffers that are reused."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

from pardnn.cost.estimate import estimate_graph
from pardnn.cost.memory import reuse
from scheduler import buffers, memory
from scripts.truth.memory import held
from scripts.truth.plans import machine_of, subject_of
from scripts.truth.predict import placement_of, runs_of, shared_schedule
from scripts.truth.settings import MODELS, PLANS, Model


class Peak(NamedTuple):
    """Of one worker under one plan, in bytes, variables included."""

    model: str
    plan: str
    task: int
    measured: int
    whole: int
    reused: int


MARGIN = 1.1
FACTORS: dict[str, Callable[[Peak], float]] = {
    "whole outputs": lambda peak: peak.measured / peak.whole,
    "reused buffers": lambda peak: peak.measured / peak.reused,
    "the larger of both": lambda peak: peak.measured / max(peak.whole, peak.reused),
}
"""What was measured over what was said."""


def peaks_of(folder: Path, model: Model) -> list[Peak]:
    """Of a model's plans, each in its first run."""
    from tensorflow.core.protobuf import config_pb2

    own = folder / model.name
    subject = subject_of(own, machine_of(folder))
    work, machine, graph = subject.problem.workload, subject.problem.machine, subject.graph
    assert graph is not None
    ways = reuse(graph, estimate_graph(graph))
    sizes = {subject.names[u]: b for u, b in zip(work.dag.src.tolist(), work.edge_bytes.tolist(), strict=True)}
    found = []
    for plan in PLANS:
        placement = placement_of(subject, own, plan)
        resident = memory.resident(work, machine, placement)
        whole = subject.problem.peaks(subject.problem.simulate(placement))
        schedule = shared_schedule(subject, placement, runs_of(own, plan)[0])
        reused = buffers.peaks(work, machine, schedule, ways)
        trace = config_pb2.RunMetadata.FromString((own / f"{plan}.0.pb").read_bytes())
        for task in sorted(set(placement.tolist())):
            real = held(trace, task, sizes).peak_bytes + int(resident[task])
            found.append(Peak(model.name, plan, task, real, int(whole[task]), int(reused[task])))
    return found


def table(peaks: list[Peak]) -> str:
    """A line per model and plan's worker, and what sums them up: also of the larger of the two predictions."""
    head = "| model | plan | worker | measured | whole outputs | error | reused buffers | error |"
    lines = [head, "|" + " --- |" * 8]
    for peak in peaks:
        cells = [peak.model, peak.plan, str(peak.task), _mib(peak.measured)]
        for said in (peak.whole, peak.reused):
            cells += [_mib(said), f"{said / peak.measured - 1:+.1%}"]
        lines.append(f"| {' | '.join(cells)} |")
    for name, factors in FACTORS.items():
        ratios = [factors(peak) for peak in peaks]
        within = sum(ratio <= MARGIN for ratio in ratios) / len(ratios)
        middle = median(abs(1 / ratio - 1) for ratio in ratios)
        lines.append(f"\n{name}: median |error| {middle:.1%}; measured at most {MARGIN} x predicted in {within:.1%}")
    return "\n".join([*lines, *learned(peaks)])


def learned(peaks: list[Peak]) -> list[str]:
    """For each prediction the factor that 99 % of the tuning peaks stay within, and how many others do."""
    out = {model.name for model in MODELS if model.held_out}
    lines = []
    for name, factors in FACTORS.items():
        seen, fresh = (sorted(factors(p) for p in peaks if (p.model in out) == held_out) for held_out in (False, True))
        if seen and fresh:
            factor = seen[math.ceil(0.99 * len(seen)) - 1]
            within = sum(ratio <= factor for ratio in fresh) / len(fresh)
            lines.append(f"\n{name}: 99 % of the tuning half within {factor:.2f} x, and so {within:.1%} held out")
    return lines


def _mib(size: int) -> str:
    return f"{size / 2**20:.2f} MiB"
