"""What the ops of a graph cost, op by op."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pardnn.cost.op import Op
from pardnn.cost.record import OpCost


@dataclass(frozen=True, eq=False)
class GraphCosts:
    """Aligned with the graph's nodes."""

    ops: tuple[Op, ...]
    costs: tuple[OpCost, ...]
    arguments: tuple[tuple[tuple[int, int], ...], ...]
    """Per op its data inputs in argument order as (producer, port); (-1, -1) where the graph has no such op."""
    inside: Mapping[int, tuple[GraphCosts, ...]] = field(default_factory=dict)
    """The same of the bodies that an op runs, aligned with the graph's `bodies`."""
    pushed: int = 0
    """Bytes that all of it leaves on stacks and lists."""
