"""Convolutions, pooling, batch normalisation and resizing of images, in both layouts and any number of dimensions."""

from __future__ import annotations

from collections.abc import Sequence

from pardnn.graph.shape_rules.dims import UNKNOWN, Dims, from_value, merged, times
from pardnn.graph.shape_rules.rule import Call, shape_rule


def _layout(call: Call, rank: int) -> tuple[int, range]:
    """(channel axis, spatial axes) of the op's data_format."""
    if call.text("data_format", "N...C").startswith("NC"):
        return 1, range(2, rank)
    return rank - 1, range(1, rank - 1)


def _slid(size: int, window: int, stride: int, dilation: int, padding: str, explicit: Sequence[int]) -> int:
    """Number of positions of a window that slides along one dimension."""
    if size < 0 or window < 0:
        return UNKNOWN
    stride = max(stride, 1)
    if padding == "SAME":
        return -(-size // stride)
    reach = (window - 1) * max(dilation, 1) + 1
    return max((size + sum(explicit) - reach) // stride + 1, 0)


def _at(values: Sequence[int], axis: int) -> int:
    return values[axis] if axis < len(values) else 1


def _windows(call: Call, dims: tuple[int, ...], window: Sequence[int], channels: int) -> Dims:
    """The image after windows of `window` (one size per spatial axis) have slid over it."""
    channel_axis, spatial = _layout(call, len(dims))
    strides, dilations, pads = (call.numbers(name) for name in ("strides", "dilations", "explicit_paddings"))
    result = list(dims)
    result[channel_axis] = channels
    for i, axis in enumerate(spatial):
        result[axis] = _slid(
            dims[axis],
            window[i],
            _at(strides, axis),
            _at(dilations, axis),
            call.text("padding"),
            pads[2 * axis : 2 * axis + 2],
        )
    return tuple(result)


@shape_rule("Conv2D", "Conv3D", "_FusedConv2D", "Conv")
def convolution(call: Call) -> Sequence[Dims]:
    """The image with the filter's last dimension as channels."""
    image, weights = call.shape(0), call.shape(1)
    if image is None or weights is None or len(image) != len(weights) or len(image) < 3:
        return [image and (UNKNOWN,) * len(image)]
    return [_windows(call, image, weights[:-2], weights[-1])]


@shape_rule("DepthwiseConv2dNative")
def depthwise(call: Call) -> Sequence[Dims]:
    """The image with input channels x multiplier as channels."""
    image, weights = call.shape(0), call.shape(1)
    if image is None or weights is None or len(image) != 4 or len(weights) != 4:
        return [(UNKNOWN,) * 4]
    return [_windows(call, image, weights[:2], times(weights[2], weights[3]))]


@shape_rule("MaxPool", "AvgPool", "MaxPool3D", "AvgPool3D", "MaxPoolWithArgmax")
def pool(call: Call) -> Sequence[Dims]:
    """The image with each window shrunk to one value."""
    image, size = call.shape(0), call.numbers("ksize")
    if image is None or len(image) < 3 or len(size) != len(image):
        return [image and (UNKNOWN,) * len(image)] * call.outputs
    channel_axis, spatial = _layout(call, len(image))
    return [_windows(call, image, [size[axis] for axis in spatial], image[channel_axis])] * call.outputs


@shape_rule("MaxPoolGrad", "MaxPool3DGrad", "MaxPoolGradV2", "MaxPoolGradWithArgmax")
def max_pool_gradient(call: Call) -> Sequence[Dims]:
    """Like the image that was pooled."""
    return [call.shape(0)]


@shape_rule("Conv2DBackpropInputV2", "Conv3DBackpropInput", "DepthwiseConv2dNativeBackpropInputV2")
def like_image(call: Call) -> Sequence[Dims]:
    """Like the image that was convolved."""
    return [call.shape(0)]


@shape_rule(
    "Conv2DBackpropInput",
    "Conv3DBackpropInputV2",
    "DepthwiseConv2dNativeBackpropInput",
    "AvgPoolGrad",
    "AvgPool3DGrad",
)
def image_gradient(call: Call) -> Sequence[Dims]:
    """The shape that the first input spells; failing that, batch of the gradient and channels of the filter."""
    spelled = from_value(call.value(0), call.shape(0))
    weights, gradient = call.shape(1), call.shape(2)
    if gradient is None or weights is None or len(weights) != len(gradient) or len(gradient) < 3:
        return [spelled]
    guess = [UNKNOWN] * len(gradient)
    guess[0] = gradient[0]
    guess[_layout(call, len(gradient))[0]] = weights[-2]
    return [merged([spelled, tuple(guess)])]


@shape_rule("Conv2DBackpropFilter", "Conv3DBackpropFilterV2", "DepthwiseConv2dNativeBackpropFilter")
def filter_gradient(call: Call) -> Sequence[Dims]:
    """The shape that the second input spells."""
    return [from_value(call.value(1), call.shape(1))]


@shape_rule("Conv3DBackpropFilter", "Conv2DBackpropFilterV2")
def like_filter(call: Call) -> Sequence[Dims]:
    """Like the filter."""
    return [call.shape(1)]


@shape_rule("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "_FusedBatchNormEx")
def batch_norm(call: Call) -> Sequence[Dims]:
    """(image, mean, variance, the two again, and cuDNN's scratch, which is empty as far as a file can tell)."""
    image, scale = call.shape(0), call.shape(1)
    per_channel = merged([scale, _channels(call, image)])
    return [image, *[per_channel] * 4, (0,)]


@shape_rule("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3")
def batch_norm_gradient(call: Call) -> Sequence[Dims]:
    """(gradient of the image, of scale, of offset, two empty ones)."""
    image = merged([call.shape(0), call.shape(1)])
    per_channel = merged([call.shape(2), _channels(call, image)])
    return [image, per_channel, per_channel, (0,), (0,)]


def _channels(call: Call, image: Dims) -> Dims:
    if image is None or len(image) < 3:
        return (UNKNOWN,)
    return (image[_layout(call, len(image))[0]],)


@shape_rule("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea")
def resize(call: Call) -> Sequence[Dims]:
    """[batch, height, width, channels] with the height and width of the second input."""
    image, size = call.shape(0), from_value(call.value(1)) or (UNKNOWN, UNKNOWN)
    if image is None or len(image) != 4 or len(size) != 2:
        return [(UNKNOWN,) * 4]
    return [(image[0], *size, image[3])]


@shape_rule("ResizeBilinearGrad")
def resize_gradient(call: Call) -> Sequence[Dims]:
    """Like the image before it was resized."""
    return [call.shape(1)]


@shape_rule("SpaceToDepth", "DepthToSpace")
def blocks(call: Call) -> Sequence[Dims]:
    """Blocks of pixels become channels, or the other way round."""
    image, block = call.shape(0), call.number("block_size", 1)
    if image is None or len(image) != 4 or block < 1 or call.text("data_format", "NHWC") != "NHWC":
        return [image and (UNKNOWN,) * len(image)]
    batch, height, width, depth = image
    if call.op == "SpaceToDepth":
        return [(batch, _over(height, block), _over(width, block), times(depth, block * block))]
    return [(batch, times(height, block), times(width, block), _over(depth, block * block))]


def _over(size: int, parts: int) -> int:
    return UNKNOWN if size < 0 else size // parts
