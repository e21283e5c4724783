"""Ops that fold dimensions away."""

from __future__ import annotations

from collections.abc import Sequence

from pardnn.graph.shape_rules.dims import SCALAR, UNKNOWN, Dims, from_value
from pardnn.graph.shape_rules.rule import Call, shape_rule


@shape_rule("Sum", "Mean", "Prod", "Max", "Min", "All", "Any", "EuclideanNorm")
def reduction(call: Call) -> Sequence[Dims]:
    """The input without the axes that the second input names."""
    dims, axes, keep = call.shape(0), call.value(1), call.flag("keep_dims")
    if dims is None:
        return [None]
    if axes is None or None in axes:
        count = call.shape(1)
        if keep:
            return [(UNKNOWN,) * len(dims)]
        if count is None or min(count, default=1) < 0:
            return [None]
        return [(UNKNOWN,) * max(len(dims) - (count[0] if count else 1), 0)]
    gone = {axis + len(dims) if axis < 0 else axis for axis in axes if axis is not None}
    return [tuple(1 if i in gone else size for i, size in enumerate(dims) if keep or i not in gone)]


@shape_rule("ArgMax", "ArgMin")
def position(call: Call) -> Sequence[Dims]:
    """The input without one axis."""
    dims, axis = call.shape(0), call.scalar(1)
    if dims is None:
        return [None]
    if axis is None:
        return [(UNKNOWN,) * (len(dims) - 1)]
    axis %= max(len(dims), 1)
    return [dims[:axis] + dims[axis + 1 :]]


@shape_rule("L2Loss", "Size", "Rank", "IsVariableInitialized", "VarIsInitializedOp", "GlobalStep")
def number(_: Call) -> Sequence[Dims]:
    """One number."""
    return [SCALAR]


@shape_rule("BiasAddGrad")
def channels(call: Call) -> Sequence[Dims]:
    """A vector over the channels."""
    dims = call.shape(0)
    if not dims:
        return [(UNKNOWN,)]
    first = call.text("data_format") == "NCHW" and len(dims) > 1
    return [(dims[1 if first else -1],)]


@shape_rule("UnsortedSegmentSum", "UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd")
def unsorted_segments(call: Call) -> Sequence[Dims]:
    """One row for each segment: the data without the dimensions of the segment numbers."""
    data, ids, count = call.shape(0), call.shape(1), call.value(2)
    if data is None or ids is None:
        return [None]
    return [(from_value(count) or (UNKNOWN,)) + data[len(ids) :]]


@shape_rule(
    "SegmentSum", "SegmentMean", "SegmentMax", "SegmentMin", "SegmentProd", "SparseSegmentSum", "SparseSegmentMean"
)
def segments(call: Call) -> Sequence[Dims]:
    """One row for each segment, however many there are."""
    data = call.shape(0)
    return [None if not data else (UNKNOWN, *data[1:])]
