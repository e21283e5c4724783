"""Fused recurrent cells and layers. A layer runs its time steps one after the other: each costs its launches."""

from __future__ import annotations

from pardnn.cost.op import Op
from pardnn.cost.record import OpCost
from pardnn.cost.rule import cost_rule


@cost_rule("CudnnRNN", "CudnnRNNV2", "CudnnRNNV3")
def cudnn_rnn(op: Op) -> OpCost:
    """2 flops per time step, example and parameter; inputs [time, batch, features], h, c, parameters."""
    return _cudnn(op, passes=1)


@cost_rule("CudnnRNNBackprop", "CudnnRNNBackpropV2", "CudnnRNNBackpropV3")
def cudnn_rnn_gradient(op: Op) -> OpCost:
    """Twice the forward pass: the gradients of the data and of the parameters."""
    return _cudnn(op, passes=2)


@cost_rule("LSTMBlockCell")
def lstm_cell(op: Op) -> OpCost:
    """One product with the weights [inputs + hidden, 4 hidden], then the gates."""
    return op.cost("matmul", 2 * _batch(op, 0) * op.input(3).elements, launches=2)


@cost_rule("LSTMBlockCellGrad")
def lstm_cell_gradient(op: Op) -> OpCost:
    """The gates' gradients only; TensorFlow computes the products as ops of their own."""
    return op.cost("elementwise", 20 * op.output(1).elements)


@cost_rule("BlockLSTM", "BlockLSTMV2")
def lstm_layer(op: Op) -> OpCost:
    """A cell per time step; inputs length, x [time, batch, features], c, h, weights."""
    return _lstm_layer(op, passes=1)


@cost_rule("BlockLSTMGrad", "BlockLSTMGradV2")
def lstm_layer_gradient(op: Op) -> OpCost:
    """Twice the forward pass."""
    return _lstm_layer(op, passes=2)


@cost_rule("GRUBlockCell")
def gru_cell(op: Op) -> OpCost:
    """Two products with the weights of the gates and of the candidate."""
    return op.cost("matmul", 2 * _batch(op, 0) * (op.input(2).elements + op.input(3).elements), launches=4)


@cost_rule("GRUBlockCellGrad")
def gru_cell_gradient(op: Op) -> OpCost:
    """The two products transposed, then the gates."""
    return op.cost("matmul", 2 * _batch(op, 0) * (op.input(2).elements + op.input(3).elements), launches=5)


def _batch(op: Op, position: int) -> int:
    dims = op.input(position).dims
    return dims[0] if dims else 1


def _cudnn(op: Op, passes: int) -> OpCost:
    x, weights = op.input(0), op.input(3)
    time, batch = (x.dims[0], x.dims[1]) if len(x.dims) == 3 else (1, 1)
    # One kernel per step and layer; cuDNN fuses the gates and overlaps the layers.
    layers = op.input(1).dims[0] if len(op.input(1).dims) == 3 else 1
    flops = 2 * passes * time * batch * weights.elements
    return op.cost("matmul", flops, read=passes * op.read, launches=passes * max(1, time * layers))


def _lstm_layer(op: Op, passes: int) -> OpCost:
    x, weights = op.input(1), op.input(4)
    time, batch = (x.dims[0], x.dims[1]) if len(x.dims) == 3 else (1, 1)
    flops = 2 * passes * time * batch * weights.elements
    read = op.read + (passes * time - 1) * weights.bytes  # the weights are read anew in every step
    return op.cost("matmul", flops, read=read, launches=2 * passes * max(1, time))
