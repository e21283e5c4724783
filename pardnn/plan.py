"""A plan: where every op goes, what a step then costs, and how good that can be at best."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pardnn import __version__
from pardnn.config import RECORDED, Options
from pardnn.cost.bands import total_band
from pardnn.errors import InputError
from pardnn.placers.atomic import write_file
from pardnn.placers.graphfile import pack, write_devices
from pardnn.placers.plan import PlanFile, plan_bytes
from pardnn.problem import Placement
from pardnn.subject import Subject
from scheduler.machine import UNLIMITED
from scheduler.schedule import Schedule

if TYPE_CHECKING:
    from pardnn.report.trace.chrome import Trace


class Unordered(NamedTuple):
    """A step before control edges were added."""

    makespan_ns: int
    peak_bytes: tuple[int, ...]
    """Per GPU."""


@dataclass(frozen=True, eq=False)
class Plan:
    """A subject's placement and the schedule the simulator gives it. Times in us, sizes in bytes."""

    subject: Subject
    options: Options
    device: Placement
    """[n] device number of each op."""
    schedule: Schedule
    method: str
    seconds: Mapping[str, float]
    warnings: tuple[str, ...] = ()
    timed_out: bool = False
    """Whether the search was cut short by the time limit or by Ctrl-C."""
    proven_ns: int = 0
    """A lower bound that the method proved itself."""
    unordered: Unordered | None = None
    """What a step costs without control edges, where some were asked for or are there."""

    @cached_property
    def placement(self) -> dict[str, str]:
        """Op name -> device name."""
        devices = self.devices
        return {name: devices[d] for name, d in zip(self.subject.names, self.device.tolist(), strict=True)}

    @property
    def control_edges(self) -> tuple[tuple[str, str], ...]:
        """Pairs of ops of which the second is made to wait for the first."""
        names = self.subject.names
        return tuple((names[first], names[then]) for first, then in self.subject.control_edges)

    @property
    def devices(self) -> tuple[str, ...]:
        """Device names by number: the GPUs, then the host if anything runs there."""
        return self.subject.problem.machine.devices

    @property
    def makespan_us(self) -> float:
        """The simulated time of one step."""
        return self.schedule.makespan_ns / 1000

    @property
    def band(self) -> tuple[float, float]:
        """Between these times its length the step really takes, by the bands of its ops' times."""
        work = self.subject.problem.workload
        return total_band(work.time_ns[np.arange(work.dag.n), self.device], self.subject.costs.band)

    @cached_property
    def _single(self) -> Schedule:
        """One step on one GPU: the fastest that holds it, else the fastest."""
        problem = self.subject.own
        unlike = {
            (problem.workload.time_ns[:, d].tobytes(), problem.machine.memory_bytes[d]): d
            for d in reversed(range(problem.gpus))
        }
        runs = [problem.simulate(np.where(problem.pin < 0, d, problem.pin).astype(np.int32)) for d in unlike.values()]
        return min(runs, key=lambda run: (not self._holds(run), run.makespan_ns))

    def _holds(self, schedule: Schedule) -> bool:
        """Whether every device has the memory for it."""
        problem = self.subject.problem if schedule is self.schedule else self.subject.own
        return bool((problem.peaks(schedule) <= problem.machine.memory_bytes).all())

    @property
    def single_device_us(self) -> float:
        """The simulated time of one step on the best single GPU: the fastest that holds it, if any does."""
        return self._single.makespan_ns / 1000

    @property
    def single_device_fits(self) -> bool:
        """Whether a single GPU holds it."""
        return self._holds(self._single)

    @property
    def lower_bound_us(self) -> float:
        """Proven: no placement on this machine in any order is faster."""
        return max(self.subject.own.lower_bound_ns, self.proven_ns) / 1000

    @property
    def gap(self) -> float | None:
        """How far above the bound the plan is, as a ratio minus one; None where the bound is 0."""
        bound = self.lower_bound_us
        return self.makespan_us / bound - 1 if bound else None

    @cached_property
    def peak_bytes(self) -> list[int]:
        """Per GPU, the most bytes it holds at any moment."""
        problem = self.subject.problem
        return [int(b) for b in problem.peaks(self.schedule)[: problem.gpus]]

    @property
    def limit_bytes(self) -> list[int | None]:
        """Per GPU, the usable memory; None = unlimited."""
        problem = self.subject.problem
        return [None if b == UNLIMITED else int(b) for b in problem.machine.memory_bytes[: problem.gpus]]

    @property
    def fits(self) -> bool:
        """Whether no GPU is ever over its limit."""
        return self._holds(self.schedule)

    @property
    def per_device(self) -> list[dict[str, Any]]:
        """Name, number of ops, busy time, peak and limit of each device, the host with them if it is in use."""
        problem = self.subject.problem
        busy = problem.workload.time_ns[np.arange(len(self.device)), self.device]
        columns = (
            self.devices,
            np.bincount(self.device, minlength=problem.machine.k).tolist(),
            [int(busy[self.device == d].sum()) / 1000 for d in range(problem.machine.k)],
            problem.peaks(self.schedule).tolist(),
            [None if b == UNLIMITED else b for b in problem.machine.memory_bytes.tolist()],
        )
        names = ("device", "ops", "busy_us", "peak_bytes", "limit_bytes")
        return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]

    def result(self) -> dict[str, Any]:
        """What `--json` prints: every figure of the plan by name."""
        subject = self.subject
        return {
            "format": "pardnn-result/1",
            "graph": subject.name,
            "method": self.method,
            "nodes": subject.nodes_read,
            "edges": subject.edges_read,
            "devices": subject.problem.gpus,
            "order": self.options.order,
            "contention": self.options.contention,
            "makespan_us": self.makespan_us,
            "makespan_band": list(self.band),
            "single_device_us": self.single_device_us,
            "single_device_fits": self.single_device_fits,
            "lower_bound_us": self.lower_bound_us,
            "gap": self.gap,
            "peak_bytes": self.peak_bytes,
            "limit_bytes": self.limit_bytes,
            "fits": self.fits,
            "per_device": self.per_device,
            "comm_bytes": self.schedule.sent_bytes,
            "transfers": len(self.schedule.transfer_src),
            "seconds": {"write": 0.0, **self.seconds},
            "coverage": subject.coverage,
            "measured_percent": dict(subject.costs.measured_percent),
            **self._order(),
            "warnings": list(self.warnings),
            "outputs": [],
        }

    def _order(self) -> dict[str, Any]:
        """What control edges did, where any were asked for or are there."""
        before = self.unordered
        if before is None:
            return {}
        return {
            "control_edges": {
                "count": len(self.control_edges),
                "makespan_us_before": before.makespan_ns / 1000,
                "makespan_us": self.makespan_us,
                "peak_bytes_before": list(before.peak_bytes),
                "peak_bytes": self.peak_bytes,
            }
        }

    def file(self) -> PlanFile:
        """The plan as a file holds it: without anything that differs from run to run."""
        subject, options = self.subject, self.options
        return PlanFile(
            # A file's name need not be text, JSON must be.
            graph_name=Path(subject.name).name.encode(errors="replace").decode(),
            graph_sha256=subject.sha256,
            graph_nodes=subject.nodes_read,
            devices=self.devices[: subject.problem.gpus],
            placement=self.placement,
            unplaced=subject.unplaced,
            control_edges=self.control_edges,
            machine={
                "name": subject.hardware.name,
                "mem_bytes": list(subject.hardware.memory_bytes),
                "limit_bytes": self.limit_bytes,
                "speed": [str(factor) for factor in subject.hardware.speed[: subject.problem.gpus]],
                "latency_ns": subject.problem.machine.latency_ns.tolist(),
                "bytes_per_s": subject.problem.machine.bytes_per_s.tolist(),
            },
            options={name: getattr(options, name) for name in RECORDED}
            | {
                "costs": str(options.costs),
                "method": self.method,
                "mem_fraction": str(options.mem_fraction),
                "targets": list(options.targets),
            },
            expected={
                "makespan_us": self.makespan_us,
                "peak_bytes": self.peak_bytes,
                "lower_bound_us": self.lower_bound_us,
                "comm_bytes": self.schedule.sent_bytes,
                "batch_size": options.batch_size,
            },
            version=__version__,
        )

    def placed_graph(self) -> bytes:
        """The input file's bytes with devices and control edges written into it. Raises InputError for a cost graph."""
        if self.subject.file is None:
            raise InputError(f"{self.subject.name}: has no graph file to write devices into; it yields a plan only")
        raw, data = self.subject.file
        return pack(write_devices(data, raw.source, self.placement, self.bodies, self.control_edges), raw.source)

    @property
    def bodies(self) -> dict[str, dict[str, str]]:
        """The devices of ops that stand in library functions: function -> node -> device name."""
        found: dict[str, dict[str, str]] = {}
        for name, (function, node) in self.subject.homes.items():
            found.setdefault(function, {})[node] = self.placement[name]
        return found

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the plan (a name ending in .placement.json), or else the placed graph; whole or not at all."""
        content = plan_bytes(self.file()) if str(path).endswith(".placement.json") else self.placed_graph()
        write_file(path, content, force=force)

    def timeline(self, max_events: int = 1_000_000) -> Trace:
        """One step as Chrome's trace events, at most so many of them, and a word on what is left out."""
        from pardnn.report.trace.chrome import chrome_trace

        return chrome_trace(self.subject.problem, self.schedule, self.subject.names, self.subject.ops, max_events)

    def trace(self, path: str | Path, *, max_events: int = 1_000_000, force: bool = False) -> str:
        """Write one step as a timeline for Perfetto (ui.perfetto.dev), a gzip where the name ends in .gz.

        A word on what is left out of it comes back, "" where it has everything. Raises InputError where it cannot be
        written.
        """
        made = self.timeline(max_events)
        write_file(path, made.packed(str(path)), force=force)
        return made.dropped

    def report(self, path: str | Path | None = None, *, force: bool = False) -> bytes:
        """The plan as one HTML page that needs no network: verdict, timeline, memory, traffic, scopes, ops, and how to
        get it again. With a path it is also written there. Raises InputError where it cannot be.
        """
        from pardnn.picture import report

        made = report(self)
        if path is not None:
            write_file(path, made, force=force)
        return made

    def summary(self) -> str:
        """The table the command line prints, in plain text."""
        from pardnn.report.layout import plain
        from pardnn.report.plan import plan_report, warning_lines

        result = self.result()
        return plain(plan_report(result), *warning_lines(result))

    def __repr__(self) -> str:
        return f"<Plan {self.subject.name}: {json.dumps(self.makespan_us)} us on {self.subject.problem.gpus} GPUs>"
