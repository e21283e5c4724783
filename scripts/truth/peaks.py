"""The most each worker holds: by the records of a traced step, by whole outputs, and by buffers that are reused."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import NamedTuple

from pardnn.cost.estimate import estimate_graph
from pardnn.cost.memory import reuse
from scheduler import buffers, memory
from scripts.truth.memory import held
from scripts.truth.plans import machine_of, subject_of
from scripts.truth.predict import placement_of, runs_of, shared_schedule
from scripts.truth.settings import PLANS, Model


class Peak(NamedTuple):
    """Of one worker under one plan, in bytes, variables included."""

    model: str
    plan: str
    task: int
    measured: int
    whole: int
    reused: int


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
    """A line per model and plan's worker, and a last one that sums up."""
    head = "| model | plan | worker | measured | whole outputs | error | reused buffers | error |"
    lines = [head, "|" + " --- |" * 8]
    for peak in peaks:
        cells = [peak.model, peak.plan, str(peak.task), _mib(peak.measured)]
        for said in (peak.whole, peak.reused):
            cells += [_mib(said), f"{said / peak.measured - 1:+.1%}"]
        lines.append(f"| {' | '.join(cells)} |")
    for name in ("whole", "reused"):
        off = [getattr(peak, name) / peak.measured - 1 for peak in peaks]
        within = sum(1.1 * getattr(peak, name) >= peak.measured for peak in peaks) / len(peaks)
        middle = median(map(abs, off))
        lines.append(f"\n{name}: median |error| {middle:.1%}; measured at most 1.1 x predicted in {within:.1%}")
    return "\n".join(lines)


def _mib(size: int) -> str:
    return f"{size / 2**20:.2f} MiB"
