"""The best there is for each op without a file of the user's: learned, else by the roofline."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pardnn.cost.graph import GraphCosts
from pardnn.cost.model import Estimate, cost_models
from pardnn.cost.models.learned import Learned
from pardnn.graph.opgraph import OpGraph
from pardnn.machines.card import Card


@cost_models.register("auto", summary="the best there is for each op: learned, else by the roofline")
@dataclass(frozen=True)
class Auto:
    """As `learned`, without a word on every run about which ops are not: the coverage says how many."""

    def __call__(self, graph: OpGraph, costs: GraphCosts, cards: tuple[Card, ...]) -> Estimate:
        """The estimate of every op."""
        return replace(Learned()(graph, costs, cards), notes=())
