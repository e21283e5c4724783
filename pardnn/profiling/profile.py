"""The measured costs of a training step, as a table and as figures to judge it by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from pardnn.cost.listing import Listing, write_costs
from pardnn.cost.table import CostTable
from pardnn.placers.atomic import write_file
from pardnn.placers.profile import Clock
from pardnn.subject import Subject
from pardnn.traces.op_times import OpTimes

FAR_OFF = 0.15
"""Costs that make so much more or less than the step are worth a word."""


@dataclass(frozen=True, eq=False)
class Profile(CostTable):
    """The table of costs that was measured, as `costs=` takes it, and how far it can be trusted."""

    times: OpTimes
    clock: Clock
    overhead_ns: float
    """What the runtime takes for each run of an op, in the rows' times: the step by the clock has more than the ops."""
    subject: Subject
    """The step as it is partitioned for one device with these costs."""
    notes: tuple[str, ...]

    @property
    def step_us(self) -> float:
        """A step by the clock, with nothing traced, but for calling TensorFlow: the median."""
        return 1e6 * self.clock.step_s(self.clock.plain_s)

    @property
    def traced_us(self) -> float:
        """The same while it is traced."""
        return 1e6 * self.clock.step_s(self.clock.traced_s)

    @property
    def ops_us(self) -> float:
        """The times of all that ran, added up."""
        return self.times.step_ns / 1000

    @cached_property
    def predicted_us(self) -> float:
        """A step on one device by these costs, ops without a measured time included."""
        graph, time_ns = self.subject.graph, self.subject.problem.workload.time_ns
        assert graph is not None
        return float(np.where(graph.host, time_ns[:, -1], time_ns[:, 0]).sum()) / 1000

    @property
    def coverage(self) -> Mapping[str, float]:
        """Per cent of the "ops", and of their "time", that were measured."""
        return self.subject.costs.measured_percent

    @property
    def warnings(self) -> tuple[str, ...]:
        """What one should know before believing it, one line each."""
        ratio = self.predicted_us / self.step_us
        if abs(ratio - 1) <= FAR_OFF:
            return self.notes
        why = "other programs held the steps up" if ratio < 1 else "tracing slowed the ops down"
        return (*self.notes, f"these costs make {100 * ratio:.0f} % of a step by the clock: {why}")

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the table for `--costs measured:FILE`: JSON if the name ends so, else CSV."""
        write_file(path, self.content(as_json=str(path).endswith(".json")), force=force)

    def content(self, *, as_json: bool = False) -> bytes:
        """The table as a file holds it, the longest op first."""
        ops = sorted(self.times.ops, key=lambda op: (-(op.step_ns or 0), op.name))
        rows = [self.rows[op.name] for op in ops]
        spread: dict[str, Sequence[object]] = {
            "runs": [op.runs for op in ops],
            "op_type": [op.op for op in ops],
            "min_us": [_us(op.least_ns, op.runs) for op in ops],
            "spread_us": [_us(op.spread_ns, op.runs) for op in ops],
        }
        listing = Listing(
            [op.name for op in ops], [row.time_ns for row in rows], [row.output_bytes for row in rows],
            [row.temp_bytes for row in rows], [None] * len(ops), [row.source for row in rows], spread,
        )  # fmt: skip
        return write_costs(listing, as_json=as_json)

    def summary(self) -> str:
        """What the command line prints, in plain text."""
        from pardnn.report.layout import plain
        from pardnn.report.profile import profile_report

        return plain(profile_report(self.result()))

    def result(self, top: int = 10) -> dict[str, Any]:
        """What `--json` prints: every figure by name."""
        ops = sorted(self.times.ops, key=lambda op: -(op.step_ns or 0))[:top]
        return {
            "format": "pardnn-profile/1",
            "graph": self.subject.name,
            "steps": self.times.steps,
            "rows": list(self.times.rows),
            "dropped": dict(self.times.dropped),
            "step_us": self.step_us,
            "step_min_us": 1e6 * self.clock.step_s([min(self.clock.plain_s)]),
            "traced_step_us": self.traced_us,
            "call_us": 1e6 * min(self.clock.call_s),
            "ops_us": self.ops_us,
            "overhead_us": round(self.overhead_ns / 1000, 3),
            "predicted_us": self.predicted_us,
            "ops_seen": len(self.times.ops),
            "coverage": self.subject.coverage,
            "measured_percent": dict(self.coverage),
            "top_ops": [
                {"op": op.name, "type": op.op, "runs": op.runs, "step_us": (op.step_ns or 0) / 1000,
                 "spread_us": (op.spread_ns or 0) / 1000} for op in ops
            ],
            "warnings": list(self.warnings),
            "outputs": [],
        }  # fmt: skip


def _us(ns: float | None, runs: float) -> float | None:
    return None if ns is None else round(ns / runs / 1000, 3)
