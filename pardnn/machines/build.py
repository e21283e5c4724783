"""From a machine description and what the command line asks for to the devices that are planned for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from pardnn.errors import InputError
from pardnn.machines.card import Card
from pardnn.machines.spec import MAX_GPUS, GpuSpec, MachineSpec
from pardnn.units import format_size, parse_rate, parse_size, parse_time
from scheduler.machine import UNLIMITED, Machine
from scheduler.sharing import Sharing

HOST = "/device:CPU:0"


@dataclass(frozen=True, eq=False)
class Hardware:
    """The devices in use: the simulator's machine, and what computes on each (GPUs first, then perhaps the host)."""

    name: str
    machine: Machine
    cards: tuple[Card, ...]
    """[k]"""
    speed: tuple[Fraction, ...]
    """[k] op times are divided by it."""
    memory_bytes: tuple[int | None, ...]
    """[gpus] before the reserve is taken off; None = unlimited."""
    sharing: Sharing | None = None
    """How the devices share themselves, where they are cores."""

    @property
    def gpus(self) -> int:
        """Number of GPUs: devices 0..gpus-1."""
        return len(self.memory_bytes)


def build_machine(
    spec: MachineSpec,
    gpus: int | str | Sequence[int] | None = None,
    mem: str | int | None = None,
    mem_fraction: float | str = 0.9,
    speed: str | float | None = None,
    latency: str | None = None,
    bandwidth: str | None = None,
    host: bool = False,
    hosts: int = 1,
) -> Hardware:
    """The hardware asked for; what is None is the machine's own.

    `gpus` counts (4) or names ids ("1,3"); `mem` and `speed` are one value for all GPUs or one per GPU, separated by
    commas; `mem` "unlimited" lifts a limit; of a memory, floor(mem_fraction * memory) is usable. With `host` the host
    is the last device, its memory unlimited. All this is said of one host; of several equal `hosts`, joined by the
    machine's network, GPU 1 of the third is "/job:worker/task:2/device:GPU:1", and the CPU is that of the first.
    Raises InputError naming the option that is wrong.
    """
    ids = _choose(spec, gpus, max(_length(mem), _length(speed)))
    chosen = _with_speed(_with_memory([_gpu(spec, number) for number in ids], mem), speed)
    fraction = _fraction(mem_fraction)
    chosen = chosen * _hosts(hosts, len(ids))
    memory = tuple(gpu.memory_bytes for gpu in chosen)
    usable = [UNLIMITED if m is None else m * fraction.numerator // fraction.denominator for m in memory]
    latency_ns = spec.latency_ns if latency is None else parse_time(latency)
    bytes_per_s = spec.bytes_per_s if bandwidth is None else _rate(bandwidth)
    tasks = [""] if hosts == 1 else [f"/job:worker/task:{task}" for task in range(hosts)]
    devices = [f"{task}/device:GPU:{number}" for task in tasks for number in ids]
    where = np.repeat(np.arange(hosts), len(ids))
    cards, speeds = [gpu.card for gpu in chosen], [gpu.speed for gpu in chosen]
    latencies = np.full((len(devices) + host,) * 2, latency_ns, np.int64)
    rates = np.full_like(latencies, bytes_per_s)
    if host:
        # The options speak of the GPUs' links; a host link that the file gives stays what it is.
        own_link = (spec.host_latency_ns, spec.host_bytes_per_s) != (spec.latency_ns, spec.bytes_per_s)
        latencies[-1, :] = latencies[:, -1] = spec.host_latency_ns if own_link else latency_ns
        rates[-1, :] = rates[:, -1] = spec.host_bytes_per_s if own_link else bytes_per_s
        devices, usable, where = [*devices, HOST], [*usable, UNLIMITED], np.append(where, 0)
        cards, speeds = [*cards, spec.host], [*speeds, Fraction(1)]
    apart = where[:, None] != where
    latencies[apart], rates[apart] = spec.network_latency_ns, spec.network_bytes_per_s
    machine = Machine.ported(tuple(devices), usable, latencies, rates, where)
    return Hardware(spec.name, machine, tuple(cards), tuple(speeds), memory, spec.sharing)


def parse_gpus(text: str) -> int | tuple[int, ...]:
    """How many GPUs ("4") or which ("1,3").

    >>> parse_gpus("4"), parse_gpus("1,3"), parse_gpus("2,")
    (4, (1, 3), (2,))
    """
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 1 and not parts[-1]:
        parts.pop()
    if not all(part.isascii() and part.isdigit() and len(part) <= 9 for part in parts):
        raise InputError(f"--gpus: {text!r} is neither a count (4) nor ids (1,3)")
    return tuple(map(int, parts)) if "," in text else int(parts[0])


def _choose(spec: MachineSpec, gpus: int | str | Sequence[int] | None, listed: int) -> tuple[int, ...]:
    """The ids of the GPUs; where none are asked for, as many as memories or speeds are listed, else all there are."""
    if isinstance(gpus, str):
        gpus = parse_gpus(gpus)
    if gpus is None:
        if listed <= 1 and spec.extensible:
            raise InputError(f"machine {spec.name} has any number of GPUs: say how many with --gpus")
        gpus = listed if listed > 1 else len(spec.gpus)
    ids = tuple(range(min(gpus, MAX_GPUS + 1))) if isinstance(gpus, int) else tuple(gpus)
    if not ids:
        raise InputError("--gpus: at least one GPU is needed")
    if len(ids) > MAX_GPUS:
        raise InputError(f"--gpus: at most {MAX_GPUS} GPUs can be planned for")
    if len(set(ids)) < len(ids):
        raise InputError(f"--gpus: {','.join(map(str, ids))} names a GPU twice")
    if max(ids) >= len(spec.gpus) and not spec.extensible:
        raise InputError(f"--gpus: machine {spec.name} has {len(spec.gpus)} GPUs (0 to {len(spec.gpus) - 1})")
    return ids


def _hosts(hosts: int, gpus: int) -> int:
    if hosts < 1:
        raise InputError("--hosts: at least one host is needed")
    if hosts * gpus > MAX_GPUS:
        raise InputError(f"--hosts: {hosts} of {gpus} GPUs each; at most {MAX_GPUS} GPUs can be planned for")
    return hosts


def _gpu(spec: MachineSpec, number: int) -> GpuSpec:
    return spec.gpus[min(number, len(spec.gpus) - 1)]


def _length(values: str | float | None) -> int:
    return 0 if values is None else str(values).count(",") + 1


def _spread(option: str, values: str, count: int) -> list[str]:
    """One text per GPU."""
    parts = [part.strip() for part in values.split(",")]
    if len(parts) not in (1, count):
        raise InputError(f"--{option}: {len(parts)} values for {count} GPUs; give one, or one per GPU")
    return parts * (count // len(parts))


def _with_memory(gpus: list[GpuSpec], mem: str | int | None) -> list[GpuSpec]:
    if mem is None:
        return gpus
    sizes = _spread("mem", str(mem), len(gpus))
    return [GpuSpec(gpu.card, _memory(size), gpu.speed) for gpu, size in zip(gpus, sizes, strict=True)]


def _memory(text: str) -> int | None:
    if text == "unlimited":
        return None
    try:
        size = parse_size(text)
    except InputError as error:
        raise InputError(f"--mem: {error}; or unlimited") from None
    if size <= 0:
        raise InputError(f"--mem: {format_size(size)} is no memory; give a size such as 16GB, or unlimited")
    return size


def _with_speed(gpus: list[GpuSpec], speed: str | float | None) -> list[GpuSpec]:
    if speed is None:
        return gpus
    factors = _spread("speed", str(speed), len(gpus))
    return [GpuSpec(gpu.card, gpu.memory_bytes, _speed(factor)) for gpu, factor in zip(gpus, factors, strict=True)]


def _speed(text: str) -> Fraction:
    value = _decimal(text)
    if value is None or not Fraction(1, 10**6) <= value <= 10**6:
        raise InputError(f"--speed: {text!r} is not a factor from 0.000001 to 1000000; 2 = twice as fast")
    return value


def _fraction(given: float | str) -> Fraction:
    value = _decimal(str(given))
    if value is None or not 0 < value <= 1:
        raise InputError(f"--mem-fraction: {given!r} is not a share of the memory: more than 0, at most 1")
    return value


def _decimal(text: str) -> Fraction | None:
    """The number exactly as written (0.9 is nine tenths), or None. Exponents of hundreds of digits are no number."""
    try:
        return Fraction(text) if len(text) <= 40 and "/" not in text and abs(float(text)) < 1e12 else None
    except (ValueError, OverflowError):
        return None


def _rate(text: str) -> int:
    rate = parse_rate(text)
    if rate <= 0:
        raise InputError(f"--bandwidth: {text!r} would never arrive; give a rate such as 12GB/s")
    return rate
