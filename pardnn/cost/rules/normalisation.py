"""Normalisation layers that are one op. In TensorFlow, layer normalisation is a chain of other ops."""

from __future__ import annotations

from pardnn.cost.op import Op
from pardnn.cost.record import OpCost
from pardnn.cost.rule import cost_rule


@cost_rule("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "_FusedBatchNormEx")
def batch_norm(op: Op) -> OpCost:
    """In training the input is read twice, for the statistics and for the result."""
    x = op.input(0)
    passes = 2 if op.flag("is_training", default=True) else 1
    return op.cost("norm", 5 * passes * x.elements, read=op.read + (passes - 1) * x.bytes)


@cost_rule("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3", "_FusedBatchNormGradEx")
def batch_norm_gradient(op: Op) -> OpCost:
    """Inputs are the output's gradient and x; both are read twice, for the sums and for the result."""
    gradient, x = op.input(0), op.input(1)
    return op.cost("norm", 11 * x.elements, read=op.read + gradient.bytes + x.bytes)


@cost_rule("LRN", "LRNGrad")
def local_response(op: Op) -> OpCost:
    """A window of 2 * depth_radius + 1 channels around each element."""
    radius = op.attrs.get("depth_radius", 5)
    window = 2 * int(radius) + 1 if isinstance(radius, int) else 11
    return op.cost("norm", 2 * window * op.output().elements)


@cost_rule("BatchNormWithGlobalNormalization", "BatchNormWithGlobalNormalizationGrad", "InstanceNormV2", "L2Normalize")
def other_norm(op: Op) -> OpCost:
    """Ten flops per element of the input."""
    return op.cost("norm", 10 * op.input(0).elements)
