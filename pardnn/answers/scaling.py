"""How a training step scales: step time, scaling factor and bottleneck by number of workers; what an epoch takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from pardnn.answers.replicas import trained
from pardnn.answers.worker import Sync, batch_of, gpus_per_host, gradients_of, policy_of, wires_of, worker
from pardnn.config import Options
from pardnn.distribute.expand import Replica
from pardnn.distribute.fleet import Fleet
from pardnn.distribute.gradients import Gradients
from pardnn.distribute.phases import PHASES, phases
from pardnn.distribute.step import Step, step_of
from pardnn.errors import InputError
from pardnn.machines.link import FASTEST
from pardnn.machines.spec import load_machine
from pardnn.machines.wires import Wires
from pardnn.plan import Plan
from pardnn.registry import strategies
from pardnn.report.words import percent
from pardnn.units import format_size

MOST_WORKERS = 1_000_000
WORTH = 0.5
"""More workers pay while they bring at least such a share of what as many workers alone would do."""
_OFF = 0.05
"""Gradients that differ by more from the weights' bytes are worth a word."""
_HIDDEN = 0.02
"""Up to such a share of a step, what synchronisation adds to it is nothing."""


@dataclass(frozen=True)
class Row:
    """The figures of so many workers."""

    workers: int
    hosts: int
    gpus: int
    step_us: float
    added_us: float
    """What synchronisation adds to the step of a worker alone; the rest of it is hidden."""
    sync_us: float
    """What there is to hide: the busiest link, of a worker or of its host."""
    scaling_factor: float
    """T_1 / T_N, every worker with a batch of its own: also the efficiency."""
    speed_up: float
    """N times that: samples a second beside one worker's."""
    per_second: float
    """Samples, or steps of one worker where the batch is not known."""
    gain: float | None
    """Of the workers added since the row before, the share that more samples come to; None in the first row."""
    epoch_s: float | None
    total_s: float | None
    latency_share: float
    """Of the busiest link's time, what is latency."""
    bottleneck: str
    measured: bool
    """Whether an all-reduce in just this group was measured."""


@dataclass(frozen=True)
class Scaling:
    """How a step scales: one row for each number of workers, and what they have in common."""

    graph: str
    strategy: str
    machine: str
    link: str
    gpus_per_replica: int
    gpus_per_host: int
    batch: int | None
    """Of one worker."""
    samples: int | None
    epochs: int
    gradient_bytes: int
    gradients: int
    gradients_exact: bool
    buckets: int
    phase_us: dict[str, float]
    """Forward, backward, update and other ops of one step, all devices of a worker together."""
    peak_bytes: list[int]
    """Of each GPU of one worker, without buffers for fused gradients."""
    rows: tuple[Row, ...]
    pays_up_to: int
    """The most workers of the table of which all added ones bring at least WORTH of their own."""
    fastest: int
    """Where most samples a second are trained."""
    timed_out: bool
    """Whether the search for a worker's plan was cut short."""
    seconds: dict[str, float]
    warnings: tuple[str, ...]

    @property
    def unit(self) -> str:
        """What is counted by the second."""
        return "steps" if self.batch is None else "samples"

    def as_dict(self) -> dict[str, Any]:
        """Every figure by name, for JSON."""
        plain = asdict(self) | {"rows": [asdict(row) for row in self.rows], "warnings": list(self.warnings)}
        return {"format": "pardnn-scaling/1", "unit": self.unit, **plain}

    def csv(self) -> bytes:
        """The rows as a table."""
        import csv
        import io

        out = io.StringIO()
        writer = csv.DictWriter(out, list(asdict(self.rows[0])), lineterminator="\n")
        writer.writeheader()
        writer.writerows({k: "" if v is None else v for k, v in asdict(row).items()} for row in self.rows)
        return out.getvalue().encode()

    def summary(self) -> str:
        """What the command line prints, in plain text."""
        from pardnn.report.layout import plain
        from pardnn.report.scaling import scaling_report

        return plain(scaling_report(self.as_dict()))


def scale(
    graph: Any,
    workers: Sequence[int] = (1, 2, 4, 8, 16, 32, 64),
    *,
    plan: str | None = None,
    gpus_per_replica: int | None = None,
    samples: int | None = None,
    epochs: int = 1,
    tell: Callable[[str], None] = lambda _: None,
    **options: Any,
) -> Scaling:
    """How the training step of a graph scales to so many equal workers, each with a batch of its own.

    A worker is one GPU, `gpus_per_replica` of them on which the step is partitioned, or those of a stored plan. What
    of `options` is not `Sync`'s is `Options`'. With `samples`, the examples of an epoch, the time of so many `epochs`
    is told too; `tell` hears what is being done. Raises InputError, and DoesNotFit where a worker cannot hold the step.
    """
    of_sync = {name: options.pop(name) for name in list(options) if name in Sync.__dataclass_fields__}
    asked = Sync(**of_sync)
    counts = _counts(workers)
    strategy = strategies.get(asked.sync).make()
    if epochs != 1 and samples is None:
        raise InputError("--epochs: of how many samples? Give --samples N")
    if gpus_per_replica is not None:  # what no host holds is refused before it is placed
        gpus_per_host(asked, load_machine(options.get("machine", Options().machine)), gpus_per_replica, max(counts))
    made = worker(graph, plan, gpus_per_replica, options, tell)
    machine = load_machine(made.options.machine)
    wires = wires_of(asked, machine, made.options)
    gradients = gradients_of(made.subject)
    policy = policy_of(asked, made, gradients)
    each = made.subject.problem.gpus
    per_host = gpus_per_host(asked, machine, each, max(counts))
    problem = made.subject.problem
    replica = Replica(problem.workload, problem.machine, made.device, gradients, problem.order, problem.contention)
    tell("simulating")
    steps = {}
    for n in sorted({1, *counts}):
        fleet = Fleet(n, per_host // each, wires, asked.servers)
        steps[n] = (fleet, step_of(replica, made.schedule, fleet, strategy, policy))
    batch = batch_of(made)
    rows = _rows(steps, counts, each, batch, samples, epochs, asked)
    found = phases(problem.workload.dag, gradients)
    busy = problem.workload.time_ns[np.arange(len(found)), made.device]
    return Scaling(
        graph=made.subject.name, strategy=asked.sync, machine=machine.name, link=wires.name, gpus_per_replica=each,
        gpus_per_host=per_host, batch=batch, samples=samples, epochs=epochs, gradient_bytes=gradients.total_bytes,
        gradients=len(gradients.source), gradients_exact=gradients.exact,
        buckets=max(step.buckets for _, step in steps.values()),
        phase_us={phase: int(busy[found == i].sum()) / 1000 for i, phase in enumerate(PHASES)},
        peak_bytes=made.peak_bytes, rows=rows, pays_up_to=_pays(rows), fastest=_fastest(rows), timed_out=made.timed_out,
        seconds=dict(made.seconds), warnings=_warnings(made, gradients, wires, rows),
    )  # fmt: skip


def _counts(workers: Sequence[int]) -> list[int]:
    counts = sorted(set(workers))
    if not counts or counts[0] < 1 or counts[-1] > MOST_WORKERS:
        raise InputError(f"--workers: numbers from 1 to {MOST_WORKERS} are needed, such as 1,2,4,8")
    return counts


def _rows(
    steps: dict[int, tuple[Fleet, Step]], counts: list[int], each: int, batch: int | None, samples: int | None,
    epochs: int, asked: Sync,
) -> tuple[Row, ...]:  # fmt: skip
    if samples is not None and (samples < 1 or epochs < 1):
        raise InputError("--samples and --epochs: whole numbers from 1 on are needed")
    if samples is not None and batch is None:
        raise InputError("--samples: an epoch needs the batch of one worker: give --batch-size N")
    alone = steps[1][1].ns
    if not alone:
        raise InputError("a step of one worker takes no time: there is nothing to scale")
    rows: list[Row] = []
    for n in counts:
        fleet, step = steps[n]
        rate = n * (batch or 1) * 1e9 / step.ns
        gain = None
        if rows:
            before = rows[-1]
            gain = (rate / before.per_second - 1) / (n / before.workers - 1)
        busiest = max(step.streams.values(), key=lambda load: load.busy_ns, default=None)
        epoch_s = None if samples is None else -(-samples // (n * (batch or 1))) * step.ns / 1e9
        rows.append(Row(
            workers=n, hosts=fleet.hosts, gpus=n * each, step_us=step.ns / 1000, added_us=(step.ns - alone) / 1000,
            sync_us=step.sync_ns / 1000, scaling_factor=alone / step.ns, speed_up=n * alone / step.ns,
            per_second=rate, gain=gain, epoch_s=epoch_s, total_s=None if epoch_s is None else epochs * epoch_s,
            latency_share=busiest.latency_ns / busiest.busy_ns if busiest and busiest.busy_ns else 0.0,
            bottleneck=_bottleneck(step, alone, asked.overlap),
            measured=n == fleet.hosts * fleet.each and fleet.wires.measured(fleet.hosts, fleet.each),
        ))  # fmt: skip
    return tuple(rows)


def _bottleneck(step: Step, alone_ns: int, overlap: bool) -> str:
    """What holds a step up, in words."""
    added = step.ns - alone_ns
    if added <= _HIDDEN * step.ns:
        return "compute"
    name, load = max(step.streams.items(), key=lambda item: item[1].busy_ns)
    where = {"network": "network", "push": "server", "pull": "server"}.get(name, "link")
    why = f"{where} {'latency' if 2 * load.latency_ns > load.busy_ns else 'bandwidth'}"
    if not overlap:
        return f"{why}, nothing hidden"
    if step.tail_ns >= 0.8 * added and load.busy_ns < 0.5 * alone_ns:
        return f"{why}, last gradients"
    return why


def _pays(rows: Sequence[Row]) -> int:
    """The last row before the first in which the added workers bring less than WORTH of their own."""
    found = rows[0].workers
    for row in rows[1:]:
        if row.gain is None or row.gain < WORTH:
            break
        found = row.workers
    return found


def _fastest(rows: Sequence[Row]) -> int:
    return max(rows, key=lambda row: (row.per_second, -row.workers)).workers


def _warnings(made: Plan, gradients: Gradients, wires: Wires, rows: Sequence[Row]) -> tuple[str, ...]:
    told = list(made.warnings)
    if not gradients.exact:
        told.append(
            f"{made.subject.name}: does not say which tensors are gradients: all {format_size(gradients.total_bytes)} "
            "of resident bytes count as such, sent after the step, so that this is an upper bound"
        )
    weights = int(trained(made.subject).bytes.sum())
    if gradients.exact and abs(gradients.total_bytes - weights) > _OFF * weights:
        share = percent(gradients.total_bytes / max(weights, 1))
        told.append(
            f"the gradients found have {share} of the weights' bytes: some are sparse, of another type or not known"
        )
    if wires.inside.bytes_per_s >= FASTEST and wires.inside.send is None:
        told.append(f"link {wires.name}: was measured where nothing is copied: give one with --link 10us,12GB/s")
    beyond = [row.workers for row in rows if row.workers > 1 and not row.measured]
    if wires.all_reduce and beyond:
        others = f" and {len(beyond) - 1} other numbers" if len(beyond) > 1 else ""
        told.append(f"link {wires.name}: no all-reduce was measured among {beyond[0]} workers{others}: extrapolated")
    return tuple(told)
