"""One line before `model.fit`: the training step of a live model planned when it is traced, and run as planned."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pardnn.config import Options
from pardnn.errors import InputError
from pardnn.machines.build import HOST
from pardnn.methods import method
from pardnn.plan import Plan
from pardnn.shelf import Shelf
from pardnn.steps import StepPlanner
from pardnn.subject import hardware_of

_log = logging.getLogger("pardnn")


def place(
    model: Any,
    gpus: int | str | Sequence[int] | None = None,
    mem: str | int | None = None,
    devices: Sequence[str] | None = None,
    batch_size: int | None = None,
    cache: bool = True,
    **options: Any,
) -> ModelPlan:
    """The plan of a Keras model's training step, which fills when `fit` first traces it.

    Call it any time before a `fit`, before or after `compile`; the other options are those of `partition`. `devices`
    are the devices that play the plan's GPUs, in order; else GPU i is TensorFlow's own. `batch_size` is what to plan
    for where neither the data nor `fit` say. With `cache` the plan is kept for this user's next process, under
    PARDNN_CACHE_DIR or where the system keeps such files.

    Raises pardnn.errors.InputError for a model that cannot be placed and for devices that are not there. DoesNotFit
    is raised by `fit`. In either case the model is as it was and trains unplaced.
    """
    from pardnn.placers.keras import require_model

    if devices is not None and gpus is None:
        gpus = len(devices)
    if "targets" in options:
        raise InputError("targets: a model's whole step is placed; targets are for graph files")
    asked = Options.of(gpus=gpus, mem=mem, batch_size=batch_size, **options)
    method(asked.method, asked.effort)
    planned = hardware_of(asked).machine.devices
    require_model(model)
    plan = ModelPlan(model, asked, _real_devices(planned, devices), Shelf() if cache else None)
    plan._hook.install()
    return plan


def _real_devices(planned: Sequence[str], given: Sequence[str] | None) -> dict[str, str]:
    """TensorFlow's device for each device of the plan; all are there."""
    from pardnn.placers.devices import available

    wanted = list(planned if given is None else given)
    if len(wanted) != len(planned):
        raise InputError(f"devices: {len(wanted)} names for {len(planned)} GPUs; give one for each")
    names, there = available([*wanted, HOST])
    missing = [text for text, name in zip(wanted, names, strict=False) if name is None]
    if missing:
        raise InputError(f"TensorFlow sees no device {missing[0]}, only {', '.join(there)}; devices=[...] says which")
    return {plan: real for plan, real in zip([*planned, HOST], names, strict=True) if real is not None}


@dataclass(frozen=True)
class Report:
    """What placing did to a model."""

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


class ModelPlan:
    """Where the ops of a model's training step go; known from the first step of `fit` on."""

    def __init__(self, model: Any, options: Options, devices: Mapping[str, str], shelf: Shelf | None) -> None:
        from pardnn.placers.keras import Hook
        from pardnn.placers.placing import Placing

        self.devices = dict(devices)
        """TensorFlow's device by the plan's."""
        self.warnings: list[str] = []
        """What was said on the way, one line each."""
        self._planner = StepPlanner(options, self._say, shelf)
        self._placing = Placing(self._planner, self.devices)
        self._hook = Hook(model, self._placing, devices[HOST], self._say)

    @property
    def plan(self) -> Plan:
        """The plan proper, with schedule and costs. Raises InputError before the step is traced."""
        if self._planner.plan is None:
            raise InputError("the step is planned when it is first traced: call fit or train_on_batch first")
        return self._planner.plan

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

    def verify(self) -> Any:
        """Where the ops of the first step really ran, held against the plan: `.ok`, `.moved`, `.without_device`."""
        return self._hook.verify()

    def remove(self) -> None:
        """Make the model what it was: unplaced, with the values it has now."""
        self._hook.remove()

    def _say(self, line: str) -> None:
        self.warnings.append(line)
        _log.warning("pardnn: %s", line)
