"""A stored plan's options: what it was made for, so that it can be looked at again without typing all of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from pardnn.config import RECORDED, Options
from pardnn.errors import InputError
from pardnn.machines.build import HOST
from pardnn.machines.spec import preset_names
from pardnn.placers.plan import PlanFile

_GPU = re.compile(r".*/device:GPU:(\d+)")
_TASK = re.compile(r"/job:.*/task:(\d{1,4})/")


def recall(plan: PlanFile, path: str, given: Mapping[str, Any]) -> Options:
    """The options of a plan, overridden by those that are given. Raises InputError.

    A plan without a machine (written by hand) is for as many GPUs of the default machine as it lists; a machine that is
    given takes the place of the plan's with all its figures.
    """
    stored = {name: plan.options[name] for name in RECORDED if plan.options.get(name) is not None}
    stored.setdefault("method", "by hand")
    hosts = 1 + max((int(match[1]) for match in map(_TASK.match, plan.devices) if match), default=0)
    first = [device for device in plan.devices if hosts == 1 or "/task:0/" in device]
    if "machine" not in given:
        stored |= _machine(plan, path, len(first))
    if ids := [match[1] for match in map(_GPU.fullmatch, first) if match]:
        stored |= {"gpus": f"{','.join(ids)},", "hosts": hosts}
    try:
        return Options.of(**(stored | dict(given)))
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: 'options' or 'machine' hold what no plan holds: {error}") from None


def uses_host(plan: PlanFile) -> bool:
    """Whether the plan puts ops on the host's CPU."""
    return HOST in plan.placement.values()


def _machine(plan: PlanFile, path: str, each: int) -> dict[str, Any]:
    """The machine's figures as options: memories and speeds of the GPUs, `each` in a host, and one link for all."""
    stored: dict[str, Any] = {}
    machine, gpus = plan.machine, len(plan.devices)
    if name := machine.get("name"):
        if name not in preset_names():
            raise InputError(f"{path}: was made for a machine file '{name}': give it again with --machine {name}.toml")
        stored["machine"] = name
    if memory := _row(machine.get("mem_bytes"), gpus)[:each]:
        stored["mem"] = ",".join("unlimited" if size is None else str(size) for size in memory)
    try:
        if speed := _row(machine.get("speed"), gpus)[:each]:
            stored["speed"] = ",".join(_decimal(Fraction(str(factor))) for factor in speed)
        if "latency_ns" in machine and "bytes_per_s" in machine:
            other = int(each > 1)  # a single device's own entry stands for its links
            stored["latency"] = f"{int(machine['latency_ns'][0][other])}ns"
            stored["bandwidth"] = f"{int(machine['bytes_per_s'][0][other])}B/s"
    except (TypeError, ValueError, LookupError, ArithmeticError):
        raise InputError(f"{path}: 'machine' holds what no plan holds; give --machine instead") from None
    return stored


def _row(value: Any, length: int) -> list[Any]:
    """A list with an entry per GPU, only one of them where all are alike; else nothing."""
    if not isinstance(value, list) or len(value) != length:
        return []
    return value[:1] if value and value.count(value[0]) == length else value


def _decimal(value: Fraction) -> str:
    return format(Decimal(value.numerator) / Decimal(value.denominator), "f")
