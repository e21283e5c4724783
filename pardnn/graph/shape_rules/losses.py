"""Losses over classes, and choices of the best classes."""

from __future__ import annotations

from collections.abc import Sequence

from pardnn.graph.shape_rules.dims import UNKNOWN, Dims, counted, merged
from pardnn.graph.shape_rules.rule import Call, shape_rule


@shape_rule("SparseSoftmaxCrossEntropyWithLogits")
def sparse_cross_entropy(call: Call) -> Sequence[Dims]:
    """(loss of each example, gradient of the logits)."""
    logits, labels = call.shape(0), call.shape(1)
    return [merged([labels, None if logits is None else logits[:1]]), logits]


@shape_rule("SoftmaxCrossEntropyWithLogits")
def cross_entropy(call: Call) -> Sequence[Dims]:
    """(loss of each example, gradient of the logits)."""
    logits = merged(call.shapes)
    return [None if logits is None else logits[:1], logits]


@shape_rule("TopK", "TopKV2")
def top(call: Call) -> Sequence[Dims]:
    """(values, positions): the last dimension shrinks to k."""
    dims = call.shape(0)
    k = call.scalar(1) if call.op == "TopKV2" else call.number("k", UNKNOWN)
    shape = None if not dims else (*dims[:-1], counted(k))
    return [shape, shape]


@shape_rule("InTopK", "InTopKV2")
def in_top(call: Call) -> Sequence[Dims]:
    """A verdict for each example."""
    return [call.shape(1)]
