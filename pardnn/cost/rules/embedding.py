"""Look-ups in tables and their gradients: the rows that are touched count, not the table."""

from __future__ import annotations

from pardnn.cost.op import Op
from pardnn.cost.record import OpCost
from pardnn.cost.rule import cost_rule


@cost_rule("Gather", "GatherV2", "GatherNd", "ResourceGather", "ResourceGatherNd")
def gather(op: Op) -> OpCost:
    """Reads the indices and as many rows as it writes."""
    return op.cost("gather", read=op.written + op.input(1).bytes)


@cost_rule(
    "ScatterAdd", "ScatterSub", "ScatterUpdate", "ScatterMul", "ScatterDiv", "ScatterMin", "ScatterMax",
    "ScatterNdAdd", "ScatterNdSub", "ScatterNdUpdate", "ResourceScatterAdd", "ResourceScatterSub",
    "ResourceScatterUpdate", "ResourceScatterMul", "ResourceScatterDiv", "ResourceScatterMin", "ResourceScatterMax",
    "ResourceScatterNdAdd", "ResourceScatterNdSub", "ResourceScatterNdUpdate",
)  # fmt: skip
def scatter(op: Op) -> OpCost:
    """Updates rows of a variable in place; inputs are the variable, indices and updates."""
    indices, updates = op.input(1), op.input(2)
    return op.cost("gather", updates.elements, read=indices.bytes + 2 * updates.bytes, written=updates.bytes)


@cost_rule(
    "ScatterNd", "TensorScatterUpdate", "TensorScatterAdd", "TensorScatterSub", "TensorScatterMax",
    "TensorScatterMin",
)  # fmt: skip
def tensor_scatter(op: Op) -> OpCost:
    """Writes a whole new tensor, then the updates into it."""
    updates = op.input(1 if op.type == "ScatterNd" else 2)
    return op.cost("gather", updates.elements, written=op.written + updates.bytes)


@cost_rule(
    "UnsortedSegmentSum", "UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd", "SegmentSum",
    "SegmentMean", "SegmentMax", "SegmentMin", "SegmentProd", "SegmentSumV2", "SegmentMaxV2",
)  # fmt: skip
def segments(op: Op) -> OpCost:
    """Adds rows of the data into the rows of a new tensor, one flop per element."""
    return op.cost("gather", op.input(0).elements)


@cost_rule(
    "SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN", "SparseSegmentSumGrad", "SparseSegmentMeanGrad",
    "SparseSegmentSqrtNGrad", "SparseSegmentSumWithNumSegments", "SparseSegmentMeanWithNumSegments",
)  # fmt: skip
def sparse_segments(op: Op) -> OpCost:
    """One row per index; inputs are the data, indices and segment numbers."""
    data, indices = op.input(0), op.input(1)
    row = data.bytes // max(1, data.dims[0]) if data.dims else data.bytes
    return op.cost("gather", indices.elements * row // 4, read=indices.elements * row + 2 * indices.bytes)


@cost_rule("SparseTensorDenseMatMul")
def sparse_matmul(op: Op) -> OpCost:
    """Two flops per stored value and column; inputs indices, values, shape and the dense matrix."""
    values, dense = op.input(1), op.input(3)
    columns = dense.dims[-1] if dense.dims else 1
    return op.cost("gather", 2 * values.elements * columns)
