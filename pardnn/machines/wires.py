"""What joins equal workers, for collectives: latency and bandwidth, or measured tables by size of the group.

A file is TOML: the presets under links/, a user's own, or a machine file (of which only the link is read); or a CSV of
measured times with the columns `bytes`, `us` and, of an all-reduce, `workers`.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from functools import cache
from math import ceil
from os.path import exists
from pathlib import Path

from pardnn.errors import InputError
from pardnn.machines.curve import Curve
from pardnn.machines.spec import MachineSpec, load_machine
from pardnn.machines.tables import Table, read_table
from pardnn.units import parse_rate, parse_time

_LINKS = Path(__file__).with_name("links")
_LARGEST = 2.0**53
_MOST_POINTS = 100_000


@dataclass(frozen=True)
class Wire:
    """One way between two workers: latency + bytes / bandwidth, or what was measured of it."""

    latency_ns: int
    bytes_per_s: int
    send: Curve | None = None

    def send_ns(self, nbytes: int) -> int:
        """How long it takes to send so many bytes."""
        if self.send is not None:
            return round(self.send(nbytes))
        # As the scheduler's `link_ns`, to the bit; what many workers send to one server may be more than int64 holds.
        return self.latency_ns + ceil(nbytes / float(self.bytes_per_s) * 1e9)


@dataclass(frozen=True)
class Group:
    """A measured all-reduce among `gpus` workers on each of `hosts` hosts."""

    hosts: int
    gpus: int
    curve: Curve

    @property
    def workers(self) -> int:
        """How many take part."""
        return self.hosts * self.gpus

    def round_ns(self, piece: float) -> float:
        """One of the 2 (n - 1) rounds of a ring, in which each worker sends such a piece."""
        return self.curve(round(piece * self.workers)) / (2 * (self.workers - 1))


@dataclass(frozen=True)
class Wires:
    """The wires inside a host and between hosts, and all-reduces that were measured on them."""

    name: str
    description: str
    inside: Wire
    network: Wire
    cards: int = 1
    """Network cards of a host, which its workers share."""
    all_reduce: tuple[Group, ...] = ()
    machines: tuple[str, ...] = ()
    """Presets of machines that have these wires."""

    def all_reduce_ns(self, hosts: int, gpus: int, nbytes: int, workers: int | None = None) -> float | None:
        """The measured all-reduce of that group; None where nothing like it was measured.

        `workers` are fewer than hosts x gpus where the last host is not full.

        Of a group between two measured ones a round takes what lies between theirs, in proportion to the number of
        workers; of a larger one as long as in the largest, so that only the number of rounds grows.
        """
        like = sorted((g for g in self.all_reduce if _alike(g, hosts, gpus)), key=lambda group: group.workers)
        n = workers or hosts * gpus
        if not like or n < like[0].workers:
            return None
        if exact := [group for group in like if group.workers == n]:
            return exact[0].curve(nbytes)
        above = next((i for i, group in enumerate(like) if group.workers > n), None)
        if above is None:
            each = like[-1].round_ns(nbytes / n)
        else:
            low, high = like[above - 1], like[above]
            share = (n - low.workers) / (high.workers - low.workers)
            each = (1 - share) * low.round_ns(nbytes / n) + share * high.round_ns(nbytes / n)
        return 2 * (n - 1) * each

    def measured(self, hosts: int, gpus: int) -> bool:
        """Whether that very group was measured."""
        return any((group.hosts, group.gpus) == (hosts, gpus) for group in self.all_reduce)


def _alike(group: Group, hosts: int, gpus: int) -> bool:
    """Whether what was measured of one group says something of another: both in one host, or both in several."""
    return group.hosts == 1 if hosts == 1 else group.hosts > 1 and group.gpus == gpus


def wire_names() -> tuple[str, ...]:
    """The links that ship with the project, sorted."""
    return tuple(sorted(path.stem for path in _LINKS.glob("*.toml")))


def load_wires(name: str, machine: MachineSpec, option: str = "--link") -> Wires:
    """The link of that name, in that file, or written as "10us,12GB/s"; what it leaves open is the machine's.

    Raises InputError naming what is wrong, of that option.
    """
    if name in wire_names():
        return _preset(name)
    own = machine_wires(machine)
    if "," in name and not exists(name):
        return replace(own, name=name, description=name, inside=_typed(name, option), all_reduce=())
    if name.endswith(".csv"):
        return _of_csv(Path(name), own)
    if name.endswith(".toml") or exists(name):
        return _read(Path(name).stem, read_table(Path(name)), own)
    known = ", ".join(wire_names())
    raise InputError(f"{option}: unknown link {name!r}: give LATENCY,BANDWIDTH (10us,12GB/s), a file or one of {known}")


def machine_wires(machine: MachineSpec) -> Wires:
    """The wires of a machine: those measured on it, if a preset says so, else its own latencies and bandwidths."""
    for name in wire_names():
        if machine.name in _preset(name).machines:
            return _preset(name)
    inside = Wire(machine.latency_ns, machine.bytes_per_s)
    network = Wire(machine.network_latency_ns, machine.network_bytes_per_s)
    return Wires(machine.name, machine.description, inside, network)


def with_network(wires: Wires, text: str, machine: MachineSpec) -> Wires:
    """The wires with another network: "50us,2.9GB/s", or a link whose own way that is."""
    if "," in text and not exists(text):
        network = _typed(text, "--network")
    else:
        network = load_wires(text, machine, "--network").inside
    return replace(wires, network=network, all_reduce=tuple(g for g in wires.all_reduce if g.hosts == 1))


def _typed(text: str, option: str = "--link") -> Wire:
    parts = text.split(",")
    if len(parts) != 2:
        raise InputError(f"{option}: {text!r}: write LATENCY,BANDWIDTH such as 10us,12GB/s")
    try:
        latency, rate = parse_time(parts[0]), parse_rate(parts[1])
    except InputError as error:
        raise InputError(f"{option}: {error}") from None
    if not rate:
        raise InputError(f"{option}: {text!r}: the bandwidth must be more than 0")
    return Wire(latency, rate)


@cache
def _preset(name: str) -> Wires:
    return _read(name, read_table(_LINKS / f"{name}.toml"), None)


def _ethernet() -> Wire:
    machine = load_machine("ethernet-25g")
    return Wire(machine.latency_ns, machine.bytes_per_s)


def _read(name: str, table: Table, own: Wires | None) -> Wires:
    """What a TOML table says; what it leaves open is `own`'s."""
    if "gpu" not in table.values:  # of a machine file the rest is read elsewhere
        table.only("description", "latency", "bandwidth", "send_recv", "network", "all_reduce", "machines")
    inside = Wire(table.time_ns("latency"), table.bytes_per_s("bandwidth"), _optional(table, "send_recv"))
    network, cards = (own.network, own.cards) if own else (_ethernet(), 1)
    if "network" in table.values:
        beside = table.table("network")
        beside.only("latency", "bandwidth", "cards", "send_recv")
        network = Wire(beside.time_ns("latency"), beside.bytes_per_s("bandwidth"), _optional(beside, "send_recv"))
        cards = beside.count("cards", 1, 1024)
    groups = []
    for entry in table.tables("all_reduce"):
        entry.only("hosts", "gpus", "bytes", "us")
        hosts, gpus = entry.count("hosts", 1, 2**20), entry.count("gpus", 1, 2**20)
        if hosts * gpus < 2:
            raise entry.fault("gpus", "an all-reduce needs at least two workers")
        groups.append(Group(hosts, gpus, _curve(entry)))
    machines = table.values.get("machines", [])
    if not isinstance(machines, list) or not all(isinstance(machine, str) for machine in machines):
        raise table.fault("machines", "a list of names is needed")
    description = table.text("description", name)
    return Wires(name, description, inside, network, cards, tuple(groups), tuple(machines))


def _optional(table: Table, key: str) -> Curve | None:
    if key not in table.values:
        return None
    entry = table.table(key)
    entry.only("bytes", "us")
    return _curve(entry)


def _curve(table: Table) -> Curve:
    columns = {key: table.values.get(key) for key in ("bytes", "us")}
    for key, column in columns.items():
        if not isinstance(column, list) or not all(_positive(value) for value in column):
            raise table.fault(key, "a list of positive numbers is needed")
    sizes, times = columns["bytes"], columns["us"]
    assert isinstance(sizes, list)
    assert isinstance(times, list)
    if min(sizes, default=1) < 1:
        raise table.fault("bytes", f"{min(sizes)} is less than a byte")
    if len(sizes) != len(times) or len({round(size) for size in sizes}) < 2:
        raise table.fault("us", f"{len(times)} times for {len(sizes)} sizes; one each is needed, for two sizes or more")
    return Curve.of([(round(size), 1000.0 * took) for size, took in zip(sizes, times, strict=True)])


def _positive(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < _LARGEST


def _of_csv(path: Path, own: Wires) -> Wires:
    """Measured times: an all-reduce where there is a column `workers`, else what is sent from one to another."""
    points: dict[int, list[tuple[int, float]]] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            names = rows.fieldnames or ()
            if missing := [name for name in ("bytes", "us") if name not in names]:
                raise InputError(f"{path}: no column {missing[0]!r}; needed are bytes, us and, of all-reduces, workers")
            for line, row in enumerate(rows, 2):
                if line > _MOST_POINTS:
                    raise InputError(f"{path}: over {_MOST_POINTS} lines; a hundred sizes a group are plenty")
                size, took, n = (_number(path, line, name, row.get(name)) for name in ("bytes", "us", "workers"))
                points.setdefault(round(n), []).append((round(size), 1000 * took))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    few = [n for n, group in points.items() if len({size for size, _ in group}) < 2]
    if few or not points:
        raise InputError(f"{path}: at least two sizes are needed{f', of {few[0]} workers too' if any(few) else ''}")
    curves = {n: Curve.of(group) for n, group in points.items()}
    inside = replace(own.inside, send=curves[0]) if 0 in curves else own.inside
    groups = tuple(Group(1, n, curve) for n, curve in sorted(curves.items()) if n > 1)
    return replace(own, name=path.stem, description=f"measured, {path.name}", inside=inside, all_reduce=groups)


def _number(path: Path, line: int, name: str, text: str | None) -> float:
    """A cell of the table; where there is no column `workers`, 0."""
    if text is None and name == "workers":
        return 0.0
    try:
        value = float(text or "")
    except ValueError:
        value = float("nan")
    least = {"bytes": 1, "us": 0, "workers": 2}[name]
    if not (value and least <= value < _LARGEST) or (name == "workers" and not value.is_integer()):
        raise InputError(f"{path}:{line}: {name}: {text!r} is no {'number of workers' if name == 'workers' else name}")
    return value
