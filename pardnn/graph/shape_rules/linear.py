"""Matrix products."""

from __future__ import annotations

from collections.abc import Sequence

from pardnn.graph.shape_rules.dims import UNKNOWN, Dims, broadcast
from pardnn.graph.shape_rules.rule import Call, shape_rule


@shape_rule("MatMul", "SparseMatMul", "_FusedMatMul", "QuantizedMatMul")
def matmul(call: Call) -> Sequence[Dims]:
    """[rows of a, columns of b]."""
    a, b = call.shape(0), call.shape(1)
    rows = a[1 if call.flag("transpose_a") else 0] if a is not None and len(a) == 2 else UNKNOWN
    columns = b[0 if call.flag("transpose_b") else 1] if b is not None and len(b) == 2 else UNKNOWN
    return [(rows, columns)]


@shape_rule("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "_FusedBatchMatMulV2")
def batch_matmul(call: Call) -> Sequence[Dims]:
    """The leading dimensions broadcast, then [rows of x, columns of y]."""
    x, y = call.shape(0), call.shape(1)
    if x is None or y is None or min(len(x), len(y)) < 2:
        return [None]
    rows = x[-1 if call.flag("adj_x") else -2]
    columns = y[-2 if call.flag("adj_y") else -1]
    lead = broadcast([x[:-2], y[:-2]])
    return [None if lead is None else (*lead, rows, columns)]


@shape_rule("Einsum", "XlaEinsum")
def einsum(call: Call) -> Sequence[Dims]:
    """Each letter of the result has the size it has in the operands; "..." broadcasts."""
    left, arrow, right = call.text("equation").replace(" ", "").partition("->")
    terms = left.split(",")
    if not arrow or len(terms) != len(call.shapes) or any(dims is None for dims in call.shapes):
        return [None]
    sizes: dict[str, int] = {}
    spread: list[Dims] = []
    for term, dims in zip(terms, call.shapes, strict=True):
        assert dims is not None
        head, dots, tail = term.partition("...")
        if not dots and len(head) != len(dims):
            return [None]
        split = len(dims) - len(tail)
        letters = [*zip(head, dims, strict=False), *zip(tail, dims[split:], strict=False)]
        for letter, size in letters:
            sizes[letter] = max(size, sizes.get(letter, UNKNOWN))
        if dots:
            spread.append(dims[len(head) : split])
    head, dots, tail = right.partition("...")
    middle = broadcast(spread) if dots else ()
    if middle is None:
        return [None]
    return [(*(sizes.get(c, UNKNOWN) for c in head), *middle, *(sizes.get(c, UNKNOWN) for c in tail))]


@shape_rule("SparseTensorDenseMatMul")
def sparse_matmul(call: Call) -> Sequence[Dims]:
    """[rows of the sparse matrix, columns of the dense one]."""
    shape, b = call.value(2), call.shape(3)
    rows = None if shape is None or len(shape) != 2 else shape[1 if call.flag("adjoint_a") else 0]
    columns = b[0 if call.flag("adjoint_b") else 1] if b is not None and len(b) == 2 else UNKNOWN
    return [(UNKNOWN if rows is None else rows, columns)]


@shape_rule("LSTMBlockCell")
def lstm_cell(call: Call) -> Sequence[Dims]:
    """Seven tensors like the previous cell state."""
    return [call.shape(1)] * 7


@shape_rule("GRUBlockCell")
def gru_cell(call: Call) -> Sequence[Dims]:
    """Four tensors like the previous state."""
    return [call.shape(1)] * 4


@shape_rule("BlockLSTM", "BlockLSTMV2")
def lstm(call: Call) -> Sequence[Dims]:
    """Seven tensors [time, batch, cells]."""
    x, state = call.shape(1), call.shape(2)
    if x is None or state is None or len(x) != 3 or len(state) != 2:
        return [None] * 7
    return [(x[0], x[1], state[1])] * 7


@shape_rule("CudnnRNN", "CudnnRNNV2", "CudnnRNNV3")
def cudnn_rnn(call: Call) -> Sequence[Dims]:
    """(output [time, batch, directions x units], h, c, reserve). States come as [layers x directions, batch, units]."""
    x, h = call.shape(0), call.shape(1)
    if x is None or h is None or len(x) != 3 or len(h) != 3:
        return [None, h, call.shape(2)]
    directions = 2 if call.text("direction") == "bidirectional" else 1
    units = UNKNOWN if h[2] < 0 else h[2] * directions
    lstm_only = h if call.text("rnn_mode", "lstm") == "lstm" else (0,)
    return [(x[0], x[1], units), h, lstm_only, (UNKNOWN,), (UNKNOWN,)]


@shape_rule("CudnnRNNBackprop", "CudnnRNNBackpropV2", "CudnnRNNBackpropV3")
def cudnn_rnn_gradient(call: Call) -> Sequence[Dims]:
    """The gradients of input, h, c and parameters, shaped as these."""
    return [call.shape(i) for i in range(4)]
