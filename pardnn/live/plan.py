"""The plan of something live: what it says, what placing did, how to check it and how to undo it."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pardnn.config import Options
from pardnn.errors import InputError
from pardnn.live.steps import StepPlanner
from pardnn.machines.build import HOST
from pardnn.plan import Plan
from pardnn.shelf import Shelf

_log = logging.getLogger("pardnn")


@dataclass(frozen=True)
class Report:
    """What placing did to a model, a function or a graph."""

    ops: int
    without_device: int
    """0, or something is wrong."""
    variables_moved: int
    bytes_moved: int
    """Variables brought to their devices, once."""
    pinned: Mapping[str, str]
    """Ops that had no choice and the device they need, most often the host for want of a GPU kernel."""

    def __str__(self) -> str:
        """One line."""
        return (
            f"{self.ops} ops placed, {self.without_device} without a device, {len(self.pinned)} had no choice; "
            f"{self.variables_moved} variables moved, {self.bytes_moved:,} bytes"
        )


class LivePlan:
    """Where the ops of a training step go; a model's and a function's is known from their first step on."""

    def __init__(self, what: Any, options: Options, devices: Mapping[str, str], shelf: Shelf | None) -> None:
        from pardnn.placers.doors import hook
        from pardnn.placers.placing import Placing

        self.devices = dict(devices)
        """TensorFlow's device by the plan's."""
        self.warnings: list[str] = []
        """What was said on the way, one line each."""
        self.notes: list[str] = []
        """What was decided as it should be, one line each."""
        self._planner = StepPlanner(options, self._say, shelf, self._note)
        self._placing = Placing(self._planner, self.devices)
        self._hook = hook(what, self._placing, options.targets, devices[HOST], self._say)
        self._hook.install()

    @property
    def plan(self) -> Plan:
        """The plan proper, with schedule and costs. Raises InputError before the step is traced."""
        plan = self._planner.plan or next(iter(self._planner.asides.values()), None)
        if plan is None:
            raise InputError(
                "the step is planned when it is first traced: call fit, train_on_batch or the function first"
            )
        return plan

    @property
    def from_cache(self) -> bool:
        """Whether an earlier process made the plan."""
        return self._planner.found

    @property
    def placement(self) -> dict[str, str]:
        """Op name -> TensorFlow device."""
        return {name: self.devices[device] for name, device in self.plan.placement.items()}

    @property
    def makespan_us(self) -> float:
        """The simulated time of one step."""
        return self.plan.makespan_us

    @property
    def lower_bound_us(self) -> float:
        """Proven: no placement on this machine is faster."""
        return self.plan.lower_bound_us

    @property
    def peak_bytes(self) -> list[int]:
        """Per GPU, the most bytes it holds at any moment."""
        return self.plan.peak_bytes

    def summary(self) -> str:
        """The plan's table, and what placing did."""
        return f"{self.plan.summary()}\n{self.report}"

    def save(self, path: str, *, force: bool = False) -> None:
        """Write the plan (a name ending in .placement.json), or else the placed graph; whole or not at all."""
        self.plan.save(path, force=force)

    @property
    def report(self) -> Report:
        """What placing did to the model."""
        subject, done = self.plan.subject, self._placing
        pins = subject.problem.pin.tolist()
        pinned = {n: self.plan.devices[d] for n, d in zip(subject.names, pins, strict=True) if d >= 0}
        return Report(len(subject.names), len(done.bare), done.moved_variables, done.moved_bytes, pinned)

    def verify(self, session: Any = None, feed_dict: Any = None) -> Any:
        """Where the ops of the first step really ran, held against the plan: `.ok`, `.moved`, `.without_device`.

        Of a graph it is one more step in the session, with these feeds.
        """
        return self._hook.verify(session, feed_dict)

    def remove(self) -> None:
        """Make the model, function or graph what it was: unplaced, with the values it has now. Twice is as once."""
        self._hook.remove()

    def _note(self, line: str) -> None:
        if line not in self.notes:
            self.notes.append(line)
            _log.info("pardnn: %s", line)

    def _say(self, line: str) -> None:
        if line not in self.warnings:  # not once more for every shape of a batch
            self.warnings.append(line)
            _log.warning("pardnn: %s", line)
