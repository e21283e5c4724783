"""Pooling and its gradients."""

from __future__ import annotations

from math import prod

from pardnn.cost.op import Op
from pardnn.cost.record import OpCost
from pardnn.cost.rule import cost_rule


@cost_rule(
    "MaxPool", "MaxPoolV2", "AvgPool", "MaxPool3D", "AvgPool3D", "MaxPoolWithArgmax", "FractionalMaxPool",
    "FractionalAvgPool",
)  # fmt: skip
def pool(op: Op) -> OpCost:
    """One flop per output element and place of the window."""
    return op.cost("pool", op.output().elements * _window(op))


@cost_rule(
    "MaxPoolGrad", "MaxPoolGradV2", "MaxPoolGradGrad", "MaxPoolGradWithArgmax", "AvgPoolGrad", "MaxPool3DGrad",
    "AvgPool3DGrad",
)  # fmt: skip
def pool_gradient(op: Op) -> OpCost:
    """One flop per element of the output's gradient, the last input, and place of the window."""
    return op.cost("pool", op.input(-1).elements * _window(op))


def _window(op: Op) -> int:
    return max(1, prod(op.ints("ksize")))
