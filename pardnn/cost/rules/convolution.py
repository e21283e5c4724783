"""Convolutions and their gradients."""

from __future__ import annotations

from math import prod

from pardnn.cost.op import Op
from pardnn.cost.record import Kind, OpCost
from pardnn.cost.rule import cost_rule
from pardnn.cost.tensor import Tensor

WORKSPACE_LIMIT = 64 * 2**20
"""cuDNN takes scratch of the order of its tensors for its faster algorithms, up to what it is allowed. Published
figures differ by algorithm and version; this modest limit keeps the estimate from refusing placements that run."""

WINOGRAD_CHANNELS = 32
"""From so many channels in and out, cuDNN runs 3x3 convolutions of stride 1 by Winograd's method: fewer multiplications
than are counted here, so such a kernel attains more."""


@cost_rule("Conv2D", "Conv3D", "_FusedConv2D", "_FusedConv3D", "Conv")
def convolution(op: Op) -> OpCost:
    """2 flops for each output element and filter tap; filter [spatial..., in / groups, out]."""
    return _convolution(op, output=op.output(), weights=op.input(1))


@cost_rule("Conv2DBackpropInput", "Conv3DBackpropInput", "Conv3DBackpropInputV2", "Conv2DBackpropInputV2")
def input_gradient(op: Op) -> OpCost:
    """As many flops as forward; inputs are sizes (or the input), the filter and the output's gradient."""
    return _convolution(op, output=op.input(2), weights=op.input(1))


@cost_rule("Conv2DBackpropFilter", "Conv3DBackpropFilter", "Conv3DBackpropFilterV2", "Conv2DBackpropFilterV2")
def filter_gradient(op: Op) -> OpCost:
    """As many flops as forward; the output is the filter's gradient."""
    return _convolution(op, output=op.input(2), weights=op.output())


@cost_rule("DepthwiseConv2dNative", "_FusedDepthwiseConv2dNative")
def depthwise(op: Op) -> OpCost:
    """2 flops for each output element and spatial tap; filter [h, w, channels, multiplier]."""
    return _depthwise(op, output=op.output(), weights=op.input(1))


@cost_rule("DepthwiseConv2dNativeBackpropInput")
def depthwise_input_gradient(op: Op) -> OpCost:
    """As many flops as forward."""
    return _depthwise(op, output=op.input(2), weights=op.input(1))


@cost_rule("DepthwiseConv2dNativeBackpropFilter")
def depthwise_filter_gradient(op: Op) -> OpCost:
    """As many flops as forward."""
    return _depthwise(op, output=op.input(2), weights=op.output())


def _convolution(op: Op, output: Tensor, weights: Tensor) -> OpCost:
    kernel, channels = weights.dims[:-2], weights.dims[-2:]
    temp = 0 if prod(kernel) == 1 else min(op.read + op.written, WORKSPACE_LIMIT)
    flops = 2 * output.elements * prod(weights.dims[:-1])
    return op.cost(_kind(kernel, channels, unit_stride=set(op.ints("strides")) <= {1}), flops, temp=temp)


def _kind(kernel: tuple[int, ...], channels: tuple[int, ...], unit_stride: bool) -> Kind:
    if unit_stride and prod(kernel) == 1:
        return "matmul"  # a matrix product over the pixels
    if unit_stride and kernel == (3, 3) and min(channels) >= WINOGRAD_CHANNELS:
        return "winograd"
    return "conv"


def _depthwise(op: Op, output: Tensor, weights: Tensor) -> OpCost:
    return op.cost("depthwise", 2 * output.elements * prod(weights.dims[:2]))
