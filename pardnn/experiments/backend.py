"""What carries out the cells of a sweep, and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from pardnn.experiments.cell import Cell
from pardnn.experiments.outcome import Outcome
from pardnn.registry import Registry


class Backend(Protocol):
    """Made with `jobs`, how many cells at once here (None = as many as there are cores), and a cluster's `address`."""

    def __call__(self, cells: Sequence[Cell]) -> Iterator[Outcome]:
        """One outcome per cell as they come, in any order. Raises InputError where it cannot be begun or gone on."""
        ...


backends: Registry[Backend] = Registry("backend", "pardnn.experiments.backends")
