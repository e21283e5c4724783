"""Optimiser updates. A variable and its slots are read and written in place, in one pass the size of the gradient."""

from __future__ import annotations

from pardnn.cost.op import Op
from pardnn.cost.record import OpCost
from pardnn.cost.rule import CostRule, cost_rule

_SLOTS = {
    "GradientDescent": 0, "ProximalGradientDescent": 0, "AddSign": 1, "PowerSign": 1, "Momentum": 1,
    "KerasMomentum": 1, "Adagrad": 1, "AdagradV2": 1, "ProximalAdagrad": 1, "AdagradDA": 2, "Adadelta": 2,
    "Adam": 2, "AdaMax": 2, "Ftrl": 2, "FtrlV2": 2, "RMSProp": 2, "AdamWithAmsgrad": 3, "CenteredRMSProp": 3,
}  # fmt: skip
"""Tensors of the variable's size that each method keeps beside it."""


def _update(slots: int) -> CostRule:
    def rule(op: Op) -> OpCost:
        """Reads the gradient, the variable and its slots, writes the last two; a few flops for each."""
        # Sparse updates touch as many rows as the gradient has, so the gradient's size is right for both.
        gradient = max(
            (t for t in op.inputs if not (t.handle or t.reference)), default=op.input(0), key=lambda t: t.elements
        )
        touched = (1 + slots) * gradient.bytes
        return op.cost(
            "elementwise", 4 * (1 + slots) * gradient.elements, read=gradient.bytes + touched, written=touched
        )

    return rule


for _method, _count in _SLOTS.items():
    cost_rule(*(f"{how}Apply{_method}" for how in ("", "Resource", "Sparse", "ResourceSparse")))(_update(_count))


@cost_rule("AssignAdd", "AssignSub", "AssignAddVariableOp", "AssignSubVariableOp")
def assign_add(op: Op) -> OpCost:
    """Reads the value and the variable, writes the variable."""
    value = op.input(1)
    return op.cost("elementwise", value.elements, read=2 * value.bytes, written=value.bytes)


@cost_rule("Assign", "AssignVariableOp")
def assign(op: Op) -> OpCost:
    """Copies the value."""
    value = op.input(1)
    return op.cost("copy", read=value.bytes, written=value.bytes)
