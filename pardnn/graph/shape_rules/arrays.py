"""Ops that arrange a tensor anew: reshape, transpose, join, cut, pad, repeat, fill."""

from __future__ import annotations

from collections.abc import Sequence

from pardnn.graph.shape_rules.dims import UNKNOWN, Dims, from_value, merged, plus, product, times
from pardnn.graph.shape_rules.rule import Call, shape_rule


@shape_rule("Reshape")
def reshape(call: Call) -> Sequence[Dims]:
    """The shape that the second input spells; one -1 in it stands for what is left of the elements."""
    dims, value = call.shape(0), call.value(1)
    target = from_value(value, call.shape(1))
    if target is None or dims is None or value is None:
        return [target]
    total = product(dims)
    open_axes = [i for i, size in enumerate(target) if size < 0]
    if total < 0 or len(open_axes) != 1:
        return [target]
    rest = product(size for size in target if size >= 0)
    size = total // rest if rest > 0 else UNKNOWN
    return [(*target[: open_axes[0]], size, *target[open_axes[0] + 1 :])]


@shape_rule("Transpose", "ConjugateTranspose")
def transpose(call: Call) -> Sequence[Dims]:
    """The dimensions in the order of the second input."""
    dims, order = call.shape(0), call.value(1)
    if dims is None:
        return [from_value(None, call.shape(1))]
    if order is None or sorted(-1 if axis is None else axis for axis in order) != list(range(len(dims))):
        return [(UNKNOWN,) * len(dims)]
    return [tuple(dims[axis] for axis in order if axis is not None)]


@shape_rule("ConcatV2")
def concat(call: Call) -> Sequence[Dims]:
    """The tensors one behind the other along the axis in the last input."""
    return [_joined(call.shapes[:-1], call.scalar(-1))]


@shape_rule("Concat")
def concat_old(call: Call) -> Sequence[Dims]:
    """As ConcatV2, with the axis first."""
    return [_joined(call.shapes[1:], call.scalar(0))]


def _joined(shapes: Sequence[Dims], axis: int | None) -> Dims:
    known = [dims for dims in shapes if dims]
    if not known:
        return None
    rank = len(known[0])
    if axis is None or not -rank <= axis < rank or any(len(dims) != rank for dims in known):
        return (UNKNOWN,) * rank
    axis %= rank
    result = list(merged(known) or ())
    result[axis] = plus(*(dims[axis] for dims in known)) if len(known) == len(shapes) else UNKNOWN
    return tuple(result)


@shape_rule("Split")
def split(call: Call) -> Sequence[Dims]:
    """Equal parts along the axis in the first input."""
    return [_cut(call.shape(1), call.scalar(0), None, call.outputs)] * call.outputs


@shape_rule("SplitV")
def split_by_sizes(call: Call) -> Sequence[Dims]:
    """Parts of the sizes in the second input; one of them may be -1, the rest."""
    dims, axis = call.shape(0), call.scalar(2)
    sizes = list(from_value(call.value(1)) or (UNKNOWN,) * call.outputs)
    open_size = sizes.count(UNKNOWN) == 1 and call.value(1) is not None
    if open_size and dims and axis is not None and -len(dims) <= axis < len(dims) and dims[axis] >= 0:
        sizes[sizes.index(UNKNOWN)] = max(dims[axis] - sum(size for size in sizes if size >= 0), 0)
    return [_cut(dims, axis, size, 1) for size in sizes]


def _cut(dims: Dims, axis: int | None, size: int | None, parts: int) -> Dims:
    """`dims` with one axis cut to `size`, or into `parts` equal ones."""
    if not dims:
        return None
    if axis is None or not -len(dims) <= axis < len(dims):
        return (UNKNOWN,) * len(dims)
    axis %= len(dims)
    if size is None:
        size = UNKNOWN if dims[axis] < 0 else dims[axis] // max(parts, 1)
    return (*dims[:axis], size, *dims[axis + 1 :])


@shape_rule("Pack")
def pack(call: Call) -> Sequence[Dims]:
    """The tensors side by side along a new axis."""
    dims = merged(call.shapes)
    if dims is None:
        return [None]
    axis = call.number("axis") % (len(dims) + 1)
    return [(*dims[:axis], len(call.shapes), *dims[axis:])]


@shape_rule("Unpack")
def unpack(call: Call) -> Sequence[Dims]:
    """The slices along an axis."""
    dims = call.shape(0)
    if not dims:
        return [None] * call.outputs
    axis = call.number("axis") % len(dims)
    return [dims[:axis] + dims[axis + 1 :]] * call.outputs


@shape_rule("Pad", "PadV2", "MirrorPad")
def pad(call: Call) -> Sequence[Dims]:
    """Each dimension with its two margins from the second input, [rank, 2]."""
    return [_padded(call, 1)]


@shape_rule("MirrorPadGrad")
def unpad(call: Call) -> Sequence[Dims]:
    """Each dimension without its two margins."""
    return [_padded(call, -1)]


def _padded(call: Call, sign: int) -> Dims:
    dims, margins = call.shape(0), call.value(1)
    if dims is None:
        return None
    if margins is None or len(margins) != 2 * len(dims):
        return (UNKNOWN,) * len(dims)
    pairs = zip(margins[::2], margins[1::2], strict=True)
    return tuple(
        UNKNOWN if size < 0 or a is None or b is None else max(size + sign * (a + b), 0)
        for size, (a, b) in zip(dims, pairs, strict=True)
    )


@shape_rule("Tile")
def tile(call: Call) -> Sequence[Dims]:
    """Each dimension as often as the second input says."""
    dims, often = call.shape(0), call.value(1)
    if dims is None:
        return [from_value(None, call.shape(1))]
    if often is None or len(often) != len(dims):
        return [(UNKNOWN,) * len(dims)]
    return [tuple(times(size, UNKNOWN if n is None else n) for size, n in zip(dims, often, strict=True))]


@shape_rule("ExpandDims")
def expand(call: Call) -> Sequence[Dims]:
    """A new axis of size 1."""
    dims, axis = call.shape(0), call.scalar(1)
    if dims is None:
        return [None]
    if axis is None:
        return [(UNKNOWN,) * (len(dims) + 1)]
    axis %= len(dims) + 1
    return [(*dims[:axis], 1, *dims[axis:])]


@shape_rule("Squeeze")
def squeeze(call: Call) -> Sequence[Dims]:
    """Without the axes named, or without all of size 1."""
    dims, axes = call.shape(0), call.numbers("squeeze_dims") or call.numbers("axis")
    if dims is None:
        return [None]
    if axes:
        gone = {axis % max(len(dims), 1) for axis in axes}
        return [tuple(size for i, size in enumerate(dims) if i not in gone)]
    return [None if UNKNOWN in dims else tuple(size for size in dims if size != 1)]


@shape_rule("DynamicStitch", "ParallelDynamicStitch")
def stitch(call: Call) -> Sequence[Dims]:
    """As many rows as the largest index says, with the data's inner dimensions."""
    half = len(call.shapes) // 2
    known = [i for i in range(half) if call.shape(i) is not None and call.shape(half + i) is not None]
    indices = [call.value(i) for i in range(half)]
    rows = UNKNOWN
    if all(value is not None and None not in value for value in indices):
        rows = max((i for value in indices for i in value or () if i is not None and i >= 0), default=-1) + 1
    if not known:
        return [None]
    index, data = call.shape(known[0]), call.shape(half + known[0])
    assert index is not None
    assert data is not None
    return [(rows, *data[len(index) :])]


@shape_rule("SpaceToBatchND", "BatchToSpaceND")
def batch_blocks(call: Call) -> Sequence[Dims]:
    """Blocks of the dimensions behind the batch become batch, after padding; or the other way round, then cropped."""
    dims, block = call.shape(0), from_value(call.value(1), call.shape(1))
    margins = call.value(2)
    if dims is None or block is None or len(dims) <= len(block):
        return [dims and (UNKNOWN,) * len(dims)]
    more = call.op == "SpaceToBatchND"
    edges = from_value(margins) if margins is not None and len(margins) == 2 * len(block) else None
    inner = []
    for i, size in enumerate(block):
        margin = UNKNOWN if edges is None or size < 1 else plus(*edges[2 * i : 2 * i + 2])
        length = dims[1 + i]
        if min(length, margin) < 0:
            inner.append(UNKNOWN)
        else:
            inner.append((length + margin) // size if more else length * size - margin)
    whole = product(block)
    batch = UNKNOWN if min(dims[0], whole) < 0 else dims[0] * whole if more else dims[0] // max(whole, 1)
    return [(batch, *inner, *dims[1 + len(block) :])]
