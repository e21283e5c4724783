"""Reductions over axes, and scans."""

from __future__ import annotations

from pardnn.cost.op import Op
from pardnn.cost.record import OpCost
from pardnn.cost.rule import cost_rule


@cost_rule(
    "All", "Any", "ArgMax", "ArgMin", "BiasAddGrad", "Bincount", "Bucketize", "EuclideanNorm",
    "HistogramFixedWidth", "InTopK", "InTopKV2", "L2Loss", "Max", "Mean", "Min", "Prod", "Sum",
)  # fmt: skip
def reduction(op: Op) -> OpCost:
    """One flop per input element."""
    return op.cost("reduce", op.input(0).elements)


@cost_rule("Cumsum", "Cumprod", "CumulativeLogsumexp")
def scan(op: Op) -> OpCost:
    """Two passes over the data."""
    return op.cost("reduce", 2 * op.input(0).elements, read=2 * op.read)


@cost_rule("TopK", "TopKV2", "Unique", "UniqueV2", "UniqueWithCounts", "NonMaxSuppressionV3", "NonMaxSuppressionV4")
def sort(op: Op) -> OpCost:
    """A radix sort: about eight passes over keys and positions."""
    return op.cost("reduce", 8 * op.input(0).elements, read=8 * op.read, launches=8, temp=2 * op.input(0).bytes)
