"""Costs from the ops' types and shapes alone."""

from __future__ import annotations

from dataclasses import dataclass

from pardnn.cost import memory
from pardnn.cost.graph import GraphCosts
from pardnn.cost.model import Estimate, cost_models
from pardnn.cost.roofline import kernel_times
from pardnn.graph.opgraph import OpGraph
from pardnn.machines.card import Card


@cost_models.register("roofline", summary="from each op's flops and bytes, and the card's peaks")
@dataclass(frozen=True)
class Roofline:
    """Every op by its rule and the card's roofline."""

    def __call__(self, graph: OpGraph, costs: GraphCosts, cards: tuple[Card, ...]) -> Estimate:
        """The estimate of every op."""
        return Estimate(
            kernel_times(costs.costs, cards),
            memory.resident_bytes(graph, costs),
            memory.output_bytes(graph, costs),
            memory.temp_bytes(graph, costs),
            tuple(cost.source for cost in costs.costs),
        )
