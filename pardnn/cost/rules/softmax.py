"""Softmax and the cross entropies."""

from __future__ import annotations

from pardnn.cost.op import Op
from pardnn.cost.record import OpCost
from pardnn.cost.rule import cost_rule


@cost_rule("Softmax", "LogSoftmax")
def softmax(op: Op) -> OpCost:
    """Maximum, sum of exponentials, division."""
    return op.cost("softmax", 15 * op.output().elements)


@cost_rule("SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits")
def cross_entropy(op: Op) -> OpCost:
    """Loss [batch] and gradient [batch, classes] at once, in a handful of passes over the logits."""
    logits = op.input(0)
    return op.cost("softmax", 20 * logits.elements, read=op.read + 2 * logits.bytes, launches=4, temp=logits.bytes)
