"""Matrix products, plain and batched."""

from __future__ import annotations

from math import isqrt, prod

from pardnn.cost.op import Op
from pardnn.cost.record import OpCost
from pardnn.cost.rule import cost_rule


@cost_rule("MatMul", "_FusedMatMul", "SparseMatMul")
def matmul(op: Op) -> OpCost:
    """2 m n k flops."""
    return op.cost("matmul", 2 * op.output().elements * _inner(op, "transpose_a"))


@cost_rule("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "_FusedBatchMatMulV2")
def batch_matmul(op: Op) -> OpCost:
    """2 b m n k flops."""
    return op.cost("batched", 2 * op.output().elements * _inner(op, "adj_x"))


@cost_rule("Einsum", "XlaEinsum")
def einsum(op: Op) -> OpCost:
    """Two flops for each combination of labels, as if contracted in one go."""
    left, _, result = op.text("equation").partition("->")
    sizes: dict[str, int] = {}
    for term, value in zip(left.split(","), op.inputs, strict=False):
        head, dots, tail = term.strip().partition("...")
        sizes.update(zip(head, value.dims, strict=False))
        if dots:
            # The dimensions under the ellipsis count as one label.
            sizes["..."] = max(sizes.get("...", 1), prod(value.dims[len(head) : len(value.dims) - len(tail)]))
            sizes.update(zip(tail, value.dims[len(value.dims) - len(tail) :], strict=False))
    if len(op.inputs) < 2:
        return op.cost("reduce", op.input(0).elements)
    batched = any(left.count(label) > 1 for label in result if label.isalpha())
    return op.cost("batched" if batched else "matmul", 2 * prod(sizes.values()))


@cost_rule(
    "Cholesky", "CholeskyGrad", "MatrixInverse", "MatrixSolve", "MatrixTriangularSolve", "Qr", "SelfAdjointEigV2",
    "Svd",
)  # fmt: skip
def factorise(op: Op) -> OpCost:
    """About n^3 flops per matrix, in a chain of dependent steps: a kernel for each 32 columns."""
    matrix = op.input(0)
    n = matrix.dims[-1] if matrix.dims else 1
    return op.cost("batched", 2 * matrix.elements * n, launches=max(1, n // 32))


def _inner(op: Op, transposed: str) -> int:
    """The dimension that is summed over; of unknown inputs, what the sizes of all three matrices imply."""
    a, b, out = op.input(0), op.input(1), op.output()
    if len(a.dims) >= 2:
        return a.dims[-2 if op.flag(transposed) else -1]
    return isqrt(a.elements * b.elements // max(1, out.elements))
