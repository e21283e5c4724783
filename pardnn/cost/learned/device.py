"""What a prediction knows of devices: the figures of their data sheets, as columns beside the ops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.machines.card import Card

Column = NDArray[np.float64]


FIGURES = 7
"""How many features of its own a device has; they stand last among those of an op."""


@dataclass(frozen=True, eq=False)
class Devices:
    """[r] the device of each row, in units of milliseconds."""

    flops: Column
    """Floating-point operations a millisecond, 32-bit, on the ordinary cores."""
    bandwidth: Column
    """Bytes a millisecond of device memory."""
    cores: Column
    clock_mhz: Column
    cache: Column
    """Bytes of the last cache before device memory."""
    watts: Column

    def take(self, rows: NDArray[np.intp]) -> Devices:
        """The devices of some rows."""
        return Devices(*(getattr(self, name)[rows] for name in self.__dataclass_fields__))

    def features(self) -> list[Column]:
        """Logarithms of the figures and of what they are to each other."""
        balance, power = self.flops / self.bandwidth, self.watts / self.flops
        plain = (self.flops, self.bandwidth, balance, self.cores, self.clock_mhz, self.cache, power)
        return [np.log(figure) for figure in plain]


def figures(card: Card) -> tuple[float, ...]:
    """Of one card, in the order of `Devices`; what its file does not say is taken as usual for its peaks."""
    cores = card.cores or card.single_flops_per_s / 2 / 1.4e9
    clock = card.single_flops_per_s / 2 / cores / 1e6
    cache = card.cache_bytes or card.memory_bytes_per_s * 6e-6
    watts = card.watts or card.single_flops_per_s / 60e9
    return (card.single_flops_per_s / 1e3, card.memory_bytes_per_s / 1e3, cores, clock, cache, watts)


def devices(figures_of: Sequence[tuple[float, ...]], row: NDArray[np.intp]) -> Devices:
    """[r] the devices that the rows name by their number."""
    table = np.array(figures_of, np.float64)
    # A list: a tuple made from a generator is resized, which fails while something looks through all objects.
    return Devices(*[table[row, column] for column in range(table.shape[1])])
