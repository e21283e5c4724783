"""What a user can ask for, whichever door it comes through: the command line and the Python API use the same names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from os import PathLike
from typing import Any, Literal, Self

from pardnn.errors import InputError
from pardnn.units import parse_time

ORDERS = ("fifo", "blevel")
CONTENTIONS = ("none", "link")
EFFORTS = ("fast", "live", "balanced", "best")
RECORDED = (
    "batch_size", "contention", "costs", "effort", "keep_devices", "mem_fraction", "method", "order", "seed", "targets",
    "tf_shapes",
)  # fmt: skip
"""The options that a plan file keeps beside its machine."""


@dataclass(frozen=True)
class Options:
    """The options of planning; what is None is the machine's or the method's own."""

    gpus: int | str | Sequence[int] | None = None
    """How many (4), or which ("1,3"), in each host."""
    hosts: int = 1
    mem: str | int | None = None
    machine: str = "pcie3"
    speed: str | float | None = None
    latency: str | None = None
    bandwidth: str | None = None
    mem_fraction: float | str = 0.9
    method: str = "auto"
    order: Literal["fifo", "blevel"] = "fifo"
    contention: Literal["none", "link"] = "link"
    effort: Literal["fast", "live", "balanced", "best"] = "balanced"
    seed: int = 0
    time_limit: str | None = None
    batch_size: int | None = None
    targets: Sequence[str] = ()
    pin: str | None = None
    """A file of lines `op-or-scope device`."""
    keep_devices: bool = False
    costs: Any = "auto"
    """The name of a cost model, measured:FILE, or the table that `pardnn.profile` returned."""
    control_edges: bool = False
    """Order the ops on each device by edges that TensorFlow heeds."""
    tf_shapes: bool = False
    """Let TensorFlow infer the shapes that the file and our rules leave open."""

    @classmethod
    def of(cls, **given: Any) -> Self:
        """The options of these names; InputError names the one that does not exist or is out of range."""
        known = {f.name for f in fields(cls)}
        for name in given:
            if name not in known:
                raise InputError(f"no option {name!r}; there are: {', '.join(sorted(known))}")
        options = cls(**given)
        for name, allowed in (("order", ORDERS), ("contention", CONTENTIONS), ("effort", EFFORTS)):
            if getattr(options, name) not in allowed:
                raise InputError(f"--{name}: {getattr(options, name)!r} is not one of {', '.join(allowed)}")
        for name in ("method", "costs", "machine"):
            if not isinstance(getattr(options, name), str) and not (name == "costs" and hasattr(options.costs, "rows")):
                raise InputError(f"--{name}: {getattr(options, name)!r:.40} is no name")
        targets = options.targets
        if (
            not isinstance(targets, Sequence)
            or isinstance(targets, str)
            or not all(isinstance(t, str) for t in targets)
        ):
            raise InputError(f"--targets: {options.targets!r:.40} is no list of names")
        if not isinstance(options.seed, int) or options.seed < 0:
            raise InputError(f"--seed: {options.seed!r} is not a whole number from 0 on")
        if type(options.hosts) is not int or options.hosts < 1:
            raise InputError(f"--hosts: {options.hosts!r:.40} is not a whole number from 1 on")
        if not (isinstance(options.gpus, int | str | None) or _whole(options.gpus)):
            raise InputError(f"--gpus: {options.gpus!r:.40} is neither a count (4) nor ids (1,3)")
        if not isinstance(options.pin, str | PathLike | None):
            raise InputError(f"--pin: {options.pin!r:.40} is no name of a file")
        for name in ("latency", "bandwidth"):
            if not isinstance(getattr(options, name), str | None):
                raise InputError(
                    f"--{name}: {getattr(options, name)!r:.40} is no text with a unit, such as '10us', '12GB/s'"
                )
        batch = options.batch_size
        if batch is not None and (batch is True or not hasattr(batch, "__index__") or batch < 1):
            raise InputError(f"--batch-size: {options.batch_size} is not a whole number from 1 on")
        options.time_limit_s  # noqa: B018 - raises InputError
        return options

    @property
    def time_limit_s(self) -> float | None:
        """Seconds the search may take."""
        if self.time_limit is None:
            return None
        limit = parse_time(str(self.time_limit)) / 1e9
        if limit <= 0:
            raise InputError(f"--time-limit: {self.time_limit} is no time to work in; give for example 30s")
        return limit


def _whole(numbers: Any) -> bool:
    """Whether these are several whole numbers."""
    return isinstance(numbers, Sequence) and all(isinstance(number, int) for number in numbers)
