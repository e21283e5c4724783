"""The cost of an op, before it is a time: work and traffic per kernel, and memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Precision = Literal["single", "half", "double"]
Kind = Literal[
    "matmul",
    "batched",
    "conv",
    "winograd",
    "depthwise",
    "pool",
    "norm",
    "softmax",
    "reduce",
    "elementwise",
    "copy",
    "gather",
]
Source = Literal["measured", "learned", "roofline", "default"]

SOURCES: tuple[Source, ...] = ("measured", "learned", "roofline", "default")
"""Where a figure comes from, the most certain first."""


class Kernel(NamedTuple):
    """One piece of device work. `launches` kernels of this kind share the work and the traffic equally."""

    kind: Kind
    flops: int
    bytes_read: int
    bytes_written: int
    precision: Precision = "single"
    launches: int = 1


@dataclass(frozen=True, slots=True)
class OpCost:
    """What one run of an op costs. Adding two gives the cost of both run one after the other."""

    kernels: tuple[Kernel, ...] = ()
    """None = nothing runs on the device."""
    output_bytes: int = 0
    """Fresh buffers that live until their last reader is done."""
    temp_bytes: int = 0
    """Scratch while it runs."""
    resident_bytes: int = 0
    """Held for the whole step."""
    source: Source = "roofline"

    @property
    def flops(self) -> int:
        """Floating-point operations; a multiply-add is two."""
        return sum(kernel.flops for kernel in self.kernels)

    @property
    def bytes_read(self) -> int:
        """Device memory read."""
        return sum(kernel.bytes_read for kernel in self.kernels)

    @property
    def bytes_written(self) -> int:
        """Device memory written."""
        return sum(kernel.bytes_written for kernel in self.kernels)

    def __add__(self, other: OpCost) -> OpCost:
        return OpCost(
            self.kernels + other.kernels,
            self.output_bytes + other.output_bytes,
            max(self.temp_bytes, other.temp_bytes),
            self.resident_bytes + other.resident_bytes,
            max(self.source, other.source, key=SOURCES.index),
        )
