"""Cost models: what turns a graph and a machine's cards into times and bytes per op."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pardnn.cost.graph import GraphCosts
from pardnn.cost.record import Source
from pardnn.cost.table import CostTable, read_costs
from pardnn.errors import InputError
from pardnn.graph.opgraph import OpGraph
from pardnn.machines.card import Card
from pardnn.registry import Registry


@dataclass(frozen=True, eq=False)
class Estimate:
    """Per op: n ops, c cards. Times are of one run."""

    time_ns: NDArray[np.int64]
    """[n, c]"""
    resident_bytes: NDArray[np.int64]
    output_bytes: NDArray[np.int64]
    temp_bytes: NDArray[np.int64]
    source: tuple[Source, ...]
    """[n] where the time comes from."""
    notes: tuple[str, ...] = ()
    """What the user should know: one line each."""
    band: NDArray[np.float64] | None = None
    """[n, 2] the true time over the estimated one lies between these for 9 of 10 ops; None = as is usual of the sources
    (`pardnn.cost.bands`)."""


class CostModel(Protocol):
    """A frozen dataclass of its parameters; pure."""

    def __call__(self, graph: OpGraph, costs: GraphCosts, cards: tuple[Card, ...]) -> Estimate:
        """The times on each of the cards, of which the first is the one that measured times are of."""
        ...


cost_models: Registry[CostModel] = Registry("cost model", "pardnn.cost.models")


def cost_model(text: str, read: Callable[[str], CostTable] = read_costs) -> CostModel:
    """The model that `--costs` names: a registered name, or name:FILE where the model reads a file by `read`."""
    name, colon, file = text.partition(":")
    make = cost_models.get(name).make
    if name == "measured":
        if not file:
            raise InputError("--costs measured: name the file too, as in --costs measured:costs.csv")
        return make(read(file))
    if colon and name == "learned":
        return make(file)
    if colon:
        raise InputError(f"--costs {text}: {name} reads no file")
    return make()
