"""Machine descriptions: the presets under presets/ and a user's own TOML file."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from os.path import exists
from pathlib import Path

from pardnn.errors import InputError
from pardnn.machines.card import Card, card_names, load_card, read_card
from pardnn.machines.tables import Table, read_table
from scheduler.sharing import Sharing

MAX_GPUS = 1024
_PRESETS = Path(__file__).with_name("presets")


@dataclass(frozen=True)
class GpuSpec:
    """One GPU: its card, its memory before any reserve (None = unlimited), and its speed relative to the card's."""

    card: Card
    memory_bytes: int | None
    speed: Fraction = Fraction(1)


@dataclass(frozen=True)
class MachineSpec:
    """A machine as its file describes it. Every pair of GPUs is joined alike; the host may have links of its own.

    Several of them are joined by a network, through one card in each.
    """

    name: str
    description: str
    gpus: tuple[GpuSpec, ...]
    extensible: bool
    """Any number of GPUs may be asked for: the last one repeats."""
    latency_ns: int
    bytes_per_s: int
    host: Card
    host_latency_ns: int
    host_bytes_per_s: int
    network_latency_ns: int
    network_bytes_per_s: int
    sharing: Sharing | None = None
    """Its devices are cores, for which sending is work; None = they have engines for that, as GPUs do."""


def preset_names() -> tuple[str, ...]:
    """The machines that ship with the project, sorted."""
    return tuple(sorted(path.stem for path in _PRESETS.glob("*.toml")))


def load_machine(name: str = "pcie3") -> MachineSpec:
    """The preset of that name, else the machine file at that path.

    Raises InputError for an unknown name and, naming file and key, for whatever is wrong in a file.
    """
    if name in preset_names():
        return _preset(name)
    path = Path(name)
    if path.suffix == ".toml" or exists(path):
        return _read_machine(path.stem, read_table(path))
    raise InputError(f"unknown machine {name!r}: give a TOML file or one of {', '.join(preset_names())}")


@cache
def _preset(name: str) -> MachineSpec:
    return _read_machine(name, read_table(_PRESETS / f"{name}.toml"))


def _read_machine(name: str, table: Table) -> MachineSpec:
    table.only("description", "latency", "bandwidth", "gpu", "host", "network", "card", "sharing")
    own = {key: read_card(key, table.table("card").table(key)) for key in table.table("card").values}
    gpus: list[GpuSpec] = []
    extensible = False
    for entry in table.tables("gpu"):
        if extensible:
            raise entry.fault("count", "only the last [[gpu]] may leave its count open")
        entry.only("card", "count", "memory", "speed")
        extensible = "count" not in entry.values
        gpus += [_read_gpu(entry, own)] * entry.count("count", 1, MAX_GPUS)
    if not gpus:
        raise table.fault("gpu", "missing: describe at least one GPU in a [[gpu]] table")
    if len(gpus) > MAX_GPUS:
        raise table.fault("gpu", f"{len(gpus)} GPUs in all; at most {MAX_GPUS} can be planned for")
    latency_ns, bytes_per_s = table.time_ns("latency"), table.bytes_per_s("bandwidth")
    host = table.table("host")
    host.only("card", "latency", "bandwidth")
    network = table.table("network")
    network.only("latency", "bandwidth")
    return MachineSpec(
        name, table.text("description", name), tuple(gpus), extensible, latency_ns, bytes_per_s,
        host=_find_card(host, own, "cpu"),
        # A copy to or from the host takes the GPUs' way unless the file knows better.
        host_latency_ns=host.time_ns("latency") if "latency" in host.values else latency_ns,
        host_bytes_per_s=host.bytes_per_s("bandwidth") if "bandwidth" in host.values else bytes_per_s,
        network_latency_ns=(network if "latency" in network.values else _ethernet()).time_ns("latency"),
        network_bytes_per_s=(network if "bandwidth" in network.values else _ethernet()).bytes_per_s("bandwidth"),
        sharing=_read_sharing(table.table("sharing")) if "sharing" in table.values else None,
    )  # fmt: skip


def _read_sharing(table: Table) -> Sharing:
    """What a core does for a tensor that it sends or receives: a time each, and a rate for its bytes."""
    table.only("send", "send_rate", "receive", "receive_rate", "threads")
    return Sharing(
        table.time_ns("send"), table.time_ns("receive"),
        1 / table.bytes_per_s("send_rate"), 1 / table.bytes_per_s("receive_rate"), table.count("threads", 2, 64),
    )  # fmt: skip


@cache
def _ethernet() -> Table:
    """What joins hosts whose file says nothing of a network."""
    return read_table(_PRESETS / "ethernet-25g.toml")


def _read_gpu(entry: Table, own: dict[str, Card]) -> GpuSpec:
    card = _find_card(entry, own, "v100")
    # Without a card nothing is known of the memory; the card only lends its op times.
    default = card.memory_bytes if "card" in entry.values else None
    memory = entry.bytes("memory") if "memory" in entry.values else default
    return GpuSpec(card, memory, Fraction(str(entry.number("speed", 1.0))))


def _find_card(table: Table, own: dict[str, Card], default: str) -> Card:
    name = table.text("card", default)
    if name in own:
        return own[name]
    if name not in card_names():
        known = ", ".join((*sorted(own), *card_names()))
        raise table.fault("card", f"unknown card {name!r}; known: {known}; or describe it in [card.{name}]")
    return load_card(name)
