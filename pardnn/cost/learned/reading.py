"""Ops of a graph as rows of the learned families, a convolution's gradients apart; None where no family speaks."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt, prod
from typing import NamedTuple

from pardnn.cost.learned import convolution, product, vector
from pardnn.cost.op import Op
from pardnn.cost.record import Kernel, OpCost
from pardnn.cost.tensor import Tensor


class Row(NamedTuple):
    """One op: what it is read as, a key of COLUMNS, and figures in the order of these."""

    kind: str
    figures: tuple[float, ...]


def row(op: Op, cost: OpCost) -> Row | None:
    """The row of one op that is one 32-bit kernel of known shapes; else None."""
    if len(cost.kernels) != 1 or not all(t.known for t in op.outputs) or not all(t.known for t in op.inputs):
        return None
    kernel = cost.kernels[0]
    if kernel.precision != "single" or kernel.launches != 1 or kernel.bytes_read + kernel.bytes_written < 8:
        return None
    reader = _BY_TYPE.get(op.type) or _BY_KIND.get(kernel.kind)
    return reader(op, kernel) if reader else None


def _product(op: Op, kernel: Kernel) -> Row | None:
    """The sizes from the output and the work: 2 b m n k flops."""
    dims = op.output().dims
    if len(dims) < 2 or not op.output().elements or kernel.flops < 2 * op.output().elements:
        return None
    batch, stacked = prod(dims[:-2]), len(dims) > 2
    return Row("product", (batch, dims[-2], dims[-1], kernel.flops / 2 / op.output().elements, float(stacked)))


def _convolution(
    name: str, image: Callable[[Op], Tensor], weights: Callable[[Op], Tensor]
) -> Callable[[Op, Kernel], Row | None]:
    """The forward pass that the op is, or that it is a gradient of."""

    def read(op: Op, kernel: Kernel) -> Row | None:
        taken, taps = image(op).dims, weights(op).dims
        if len(taken) != 4 or len(taps) != 4 or taps[0] != taps[1]:
            return None
        first = op.text("data_format", "NHWC") == "NCHW"
        channels, high, wide = (taken[1], taken[2], taken[3]) if first else (taken[3], taken[1], taken[2])
        strides, dilations = op.ints("strides") or (1,), op.ints("dilations") or (1,)
        if channels != taps[2] or set(dilations) != {1} or not min(channels, high, wide, taps[3], taken[0]):
            return None
        same = float(op.text("padding") != "VALID")
        size = float(isqrt(high * wide))
        return Row(
            name,
            (taken[0], size, taps[0], max(strides), channels, taps[3], same, 0, 0, 1, 0, 0, 0),
        )

    return read


def _vector(name: str) -> Callable[[Op, Kernel], Row | None]:
    """As many rows as make the op's traffic, of the width of its last dimension."""
    code = vector.OPS.index(name)

    def read(op: Op, kernel: Kernel) -> Row | None:
        dims = (op.output() if op.outputs else op.input(0)).dims
        width = max(1, dims[-1] if dims else 1)
        traffic = kernel.bytes_read + kernel.bytes_written
        return Row("vector", (traffic / 4 / (vector.INPUTS[code] + 1) / width, width, code))

    return read


def _elementwise(op: Op, kernel: Kernel) -> Row | None:
    """Of one large operand or of two, by what is read beside what is written."""
    two = kernel.bytes_read > 1.5 * kernel.bytes_written
    kinds = ("pow", "tanh") if kernel.flops >= 5 * max(1, op.output().elements) else ("add", "addu")
    return _vector(kinds[0] if two else kinds[1])(op, kernel)


_BY_KIND: dict[str, Callable[[Op, Kernel], Row | None]] = {
    "matmul": _product, "batched": _product, "elementwise": _elementwise, "softmax": _vector("softmax"),
    "norm": _vector("ln"),
}  # fmt: skip
_FORWARD = _convolution("convolution", lambda op: op.input(0), lambda op: op.input(1))
_TO_INPUT = _convolution("gradient", lambda op: op.output(), lambda op: op.input(1))
_TO_FILTER = _convolution("gradient", lambda op: op.input(0), lambda op: op.output())
_BY_TYPE: dict[str, Callable[[Op, Kernel], Row | None]] = {
    "Conv2D": _FORWARD, "_FusedConv2D": _FORWARD, "Conv2DBackpropInput": _TO_INPUT,
    "Conv2DBackpropFilter": _TO_FILTER, "Relu": _vector("relu"), "Tanh": _vector("tanh"),
}  # fmt: skip
COLUMNS = {
    "convolution": convolution.COLUMNS, "gradient": convolution.COLUMNS, "product": product.COLUMNS,
    "vector": vector.COLUMNS,
}  # fmt: skip
