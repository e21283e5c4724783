"""How a synchronisation is cut up, ordered and shrunk."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from pardnn.errors import InputError

Priority = Literal["ready", "layer"]
PRIORITIES: tuple[Priority, ...] = ("ready", "layer")
COMPRESSIONS = {"none": Fraction(1), "fp16": Fraction(1, 2), "int8": Fraction(1, 4)}
"""What is left of 32-bit gradients."""


@dataclass(frozen=True)
class Policy:
    """What a training framework's options say of synchronisation."""

    overlap: bool = True
    """Gradients are sent while the backward pass goes on; else when it is over."""
    fusion_bytes: int = 64_000_000
    """Gradients that are ready one after the other go together until they are so large; 0 = each alone."""
    piece_bytes: int = 0
    """What is larger goes in pieces of so many bytes, so that what is more urgent can pass; 0 = whole."""
    compression: Fraction = Fraction(1)
    """The share of the bytes that is sent."""
    memory_bytes_per_s: int = 0
    """At which a worker reads and writes what it compresses; 0 = that takes no time."""
    priority: Priority = "ready"
    """What goes first on a link: what was ready first, or what the next step needs first, layer by layer; then that
    step does not wait for all updates, but each op for those of its own weights."""


def parse_compression(text: str) -> Fraction:
    """The share that is sent: a name of COMPRESSIONS or a number up to 1.

    >>> parse_compression("fp16"), parse_compression("0.01")
    (Fraction(1, 2), Fraction(1, 100))
    """
    if text in COMPRESSIONS:
        return COMPRESSIONS[text]
    try:
        sensible = 1e-12 <= float(text) <= 1  # the fraction of "1e-999999999" would never be done
        share = Fraction(text) if sensible else Fraction(0)
    except ValueError:
        share = Fraction(0)
    if not share:
        known = ", ".join(COMPRESSIONS)
        raise InputError(f"--compression: {text!r} is none of {known}, nor a share of the bytes such as 0.01")
    return share
