"""The registry of cost rules: op type -> what one run costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Protocol

from pardnn.cost.op import Op
from pardnn.cost.record import OpCost
from pardnn.registry import Registry


class CostRule(Protocol):
    """A pure function of the op."""

    def __call__(self, op: Op) -> OpCost:
        """The cost of one run; dimensions that are not known are 1."""
        ...


rules: Registry[CostRule] = Registry("cost rule", "pardnn.cost.rules")


def cost_rule(*types: str) -> Callable[[CostRule], CostRule]:
    """Decorator: this rule speaks for these op types."""

    def register(rule: CostRule) -> CostRule:
        rules.register(*types)(lambda: rule)
        return rule

    return register


@cache
def rule_table() -> MappingProxyType[str, CostRule]:
    """Every rule by op type."""
    return MappingProxyType({name: entry.make() for name, entry in rules.all().items()})


def estimate(op: Op) -> OpCost:
    """What the op costs by its rule; by its traffic alone, as one copying kernel, where no rule knows its type.

    An op whose type is the name of a function is a call of it.
    """
    rule = rule_table().get("PartitionedCall" if op.type in op.bodies else op.type)
    return replace(op.cost("copy"), source="default") if rule is None else rule(op)
