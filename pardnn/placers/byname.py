"""A plan for people's own TensorFlow code: a device function, as `graph.device` takes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pardnn.errors import InputError
from pardnn.placers.plan import read_plan


def device_function(plan: Any, devices: Sequence[str] | None = None) -> Callable[[Any], str]:
    """A function from a TensorFlow op to the device that a plan has for an op of that name, "" for one it has not.

    `plan` is a plan or the path of a plan file; `devices` are the devices that play its GPUs, in order. While a graph
    is built in code, or imported from a GraphDef:

        with graph.device(pardnn.device_function("graph.placement.json")):
            ...

    Raises InputError for what is no plan and for a wrong number of devices.
    """
    stored = read_plan(plan) if isinstance(plan, str | Path) else plan
    if not hasattr(stored, "placement"):
        raise InputError(f"device_function: {type(plan).__name__} is no plan: give a plan or the path of a plan file")
    placement: Mapping[str, str] = stored.placement
    real = _played(stored.devices, devices)

    def device(op: Any) -> str:
        if getattr(getattr(op, "graph", None), "building_function", False):
            return ""  # in a loop's body another op can have the name; without a device it runs where the loop does
        planned = placement.get(op.name, "")
        return real.get(planned, planned)

    return device


def _played(planned: Sequence[str], devices: Sequence[str] | None) -> dict[str, str]:
    """The device that plays each GPU of the plan."""
    if devices is None:
        return {}
    gpus = [name for name in planned if "CPU" not in name]
    if len(devices) != len(gpus):
        raise InputError(f"devices: {len(devices)} names for {len(gpus)} GPUs; give one for each")
    return dict(zip(gpus, devices, strict=True))
