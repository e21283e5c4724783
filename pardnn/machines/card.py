"""Cards: what one processor can do, one TOML file each under cards/."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pardnn.machines.tables import Table, read_table

_CARDS = Path(__file__).with_name("cards")
_KEYS = (
    "description", "single_flops_per_s", "tf32_flops_per_s", "half_flops_per_s", "double_flops_per_s",
    "memory_bytes_per_s", "memory", "launch", "sustained", "cores", "cache", "watts",
)  # fmt: skip


@dataclass(frozen=True)
class Card:
    """A processor as a roofline model sees it; peaks in floating-point operations per second."""

    name: str
    description: str
    single_flops_per_s: float
    """32-bit, on the ordinary cores."""
    tf32_flops_per_s: float
    """Dense and convolution kernels of 32-bit tensors: TensorFlow runs them in TF32 where the card has it."""
    half_flops_per_s: float
    """Dense and convolution kernels of 16-bit tensors; tensor cores where the card has them."""
    double_flops_per_s: float
    memory_bytes_per_s: int
    memory_bytes: int | None
    """None = unlimited."""
    launch_ns: int
    """What a kernel costs however little it does."""
    sustained: float
    """The share of its peaks that the card holds under load, where power or clocks hold it back; else 1."""
    cores: float | None = None
    """Lanes that do one 32-bit multiply-add a clock; None = the file does not say, as of the next two."""
    cache_bytes: int | None = None
    """The last cache before device memory."""
    watts: float | None = None
    """What the card may draw."""


def read_card(name: str, table: Table) -> Card:
    """The card that a table describes; raises InputError naming the key that is wrong."""
    table.only(*_KEYS)
    single = table.number("single_flops_per_s")
    return Card(
        name=name,
        description=table.text("description", name),
        single_flops_per_s=single,
        tf32_flops_per_s=table.number("tf32_flops_per_s", single),
        half_flops_per_s=table.number("half_flops_per_s", single),
        double_flops_per_s=table.number("double_flops_per_s", single / 32),
        memory_bytes_per_s=table.bytes_per_s("memory_bytes_per_s"),
        memory_bytes=table.bytes("memory"),
        launch_ns=table.time_ns("launch"),
        sustained=table.number("sustained", 1.0),
        cores=table.number("cores") if "cores" in table.values else None,
        cache_bytes=table.bytes("cache") if "cache" in table.values else None,
        watts=table.number("watts") if "watts" in table.values else None,
    )


@cache
def card_names() -> tuple[str, ...]:
    """The cards that ship with the project, sorted."""
    return tuple(sorted(path.stem for path in _CARDS.glob("*.toml")))


@cache
def load_card(name: str) -> Card:
    """A card that ships with the project; `name` must be one of `card_names()`."""
    return read_card(name, read_table(_CARDS / f"{name}.toml"))
