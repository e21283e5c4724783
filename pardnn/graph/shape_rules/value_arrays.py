"""The numbers in shape-like tensors: built from shapes, joined, cut and looked up."""

from __future__ import annotations

from collections.abc import Sequence

from pardnn.graph.branches import MERGES
from pardnn.graph.raw import TensorInfo
from pardnn.graph.shape_rules.dims import Dims, Value, broadcast, from_value, product
from pardnn.graph.shape_rules.indexing import strided
from pardnn.graph.shape_rules.rule import Call, value_rule

LIMIT = 64
"""Tensors with more numbers are no shapes and are not followed."""


@value_rule("Const", "HostConst")
def constant(call: Call) -> Sequence[Value | None]:
    """The numbers of a small integer constant."""
    tensor = call.attrs.get("value")
    values = tensor.values if isinstance(tensor, TensorInfo) else None
    if values is None or any(isinstance(x, float) for x in values):
        return [None]
    return [tuple(int(x) for x in values)]


@value_rule(
    "Identity", "StopGradient", "PreventGradient", "Enter", "Cast", "Reshape", "ExpandDims", "Squeeze", "Snapshot",
    "PlaceholderWithDefault", "EnsureShape",
)  # fmt: skip
def same(call: Call) -> Sequence[Value | None]:
    """The input's numbers: a new shape does not change their order."""
    return [call.value(0)]


@value_rule("Switch")
def both(call: Call) -> Sequence[Value | None]:
    """Both branches get the numbers."""
    return [call.value(0)] * 2


@value_rule("IdentityN")
def each(call: Call) -> Sequence[Value | None]:
    """Each output is its input; where branches meet, those numbers pass on which all agree."""
    ways = call.attrs.get(MERGES, 1)
    assert isinstance(ways, int)
    count = len(call.values) // ways
    rows = zip(*(call.values[i * count : (i + 1) * count] for i in range(ways)), strict=True)
    return [row[0] if row.count(row[0]) == ways else None for row in rows]


def _sizes(dims: Dims) -> Value | None:
    return None if dims is None or len(dims) > LIMIT else tuple(None if size < 0 else size for size in dims)


@value_rule("Shape", "ShapeN")
def shape(call: Call) -> Sequence[Value | None]:
    """The dimensions of each input."""
    return [_sizes(dims) for dims in call.shapes]


@value_rule("VariableShape")
def variable_shape(call: Call) -> Sequence[Value | None]:
    """The dimensions of the variable."""
    held = call.refers(0)
    return [_sizes(held.shapes[0]) if held and held.shapes else None]


@value_rule("Size")
def size(call: Call) -> Sequence[Value | None]:
    """Number of elements."""
    dims = call.shape(0)
    total = -1 if dims is None else product(dims)
    return [(None if total < 0 else total,)]


@value_rule("Rank")
def rank(call: Call) -> Sequence[Value | None]:
    """Number of dimensions."""
    dims = call.shape(0)
    return [None if dims is None else (len(dims),)]


def _scalars(call: Call, inputs: range) -> list[Value] | None:
    """The numbers of several inputs; an unknown one-element tensor counts as one unknown number."""
    found: list[Value] = []
    for i in inputs:
        value, dims = call.value(i), call.shape(i)
        if value is None and dims is not None and 0 <= product(dims) <= LIMIT:
            value = (None,) * product(dims)
        if value is None:
            return None
        found.append(value)
    return found


@value_rule("Pack")
def pack(call: Call) -> Sequence[Value | None]:
    """Scalars side by side."""
    if any(dims != () for dims in call.shapes):
        return [None]
    return [_joined(_scalars(call, range(len(call.shapes))))]


@value_rule("ConcatV2")
def concat(call: Call) -> Sequence[Value | None]:
    """Vectors one behind the other."""
    if any(dims is None or len(dims) != 1 for dims in call.shapes[:-1]):
        return [None]
    return [_joined(_scalars(call, range(len(call.shapes) - 1)))]


def _joined(parts: list[Value] | None) -> Value | None:
    if parts is None or sum(map(len, parts)) > LIMIT:
        return None
    return tuple(x for part in parts for x in part)


@value_rule("StridedSlice")
def strided_slice(call: Call) -> Sequence[Value | None]:
    """Some of a vector's numbers, or one of them."""
    value, dims = call.value(0), call.shape(0)
    if value is None or dims is None or len(dims) != 1:
        return [None]
    slots = [slot for slot in strided(call, dims) or ["?"] if slot is not None]
    if len(slots) != 1:
        return [None]
    slot = slots[0]
    if isinstance(slot, slice):
        return [value[slot]]
    if isinstance(slot, int) and -len(value) <= slot < len(value):
        return [(value[slot],)]
    return [None]


@value_rule("Slice")
def cut(call: Call) -> Sequence[Value | None]:
    """A stretch of a vector."""
    value, begin, count = call.value(0), call.scalar(1), call.scalar(2)
    if value is None or begin is None or count is None or len(call.shape(0) or ()) != 1:
        return [None]
    return [value[begin:] if count < 0 else value[begin : begin + count]]


@value_rule("Gather", "GatherV2")
def gather(call: Call) -> Sequence[Value | None]:
    """Some of a vector's numbers, by position."""
    value, where = call.value(0), call.value(1)
    if value is None or where is None or len(call.shape(0) or ()) != 1:
        return [None]
    return [tuple(value[i] if i is not None and -len(value) <= i < len(value) else None for i in where)]


@value_rule("Unpack")
def unpack(call: Call) -> Sequence[Value | None]:
    """Each number of a vector by itself."""
    value = call.value(0)
    if value is None or len(call.shape(0) or ()) != 1:
        return [None] * call.outputs
    return [(x,) for x in value]


@value_rule("Split")
def split(call: Call) -> Sequence[Value | None]:
    """Equal stretches of a vector."""
    value = call.value(1)
    if value is None or len(call.shape(1) or ()) != 1 or not call.outputs or len(value) % call.outputs:
        return [None] * call.outputs
    step = len(value) // call.outputs
    return [value[i * step : (i + 1) * step] for i in range(call.outputs)]


@value_rule("Fill")
def fill(call: Call) -> Sequence[Value | None]:
    """One number, repeated."""
    dims, number = from_value(call.value(0)), call.value(1)
    count = -1 if dims is None else product(dims)
    return [number * count if number is not None and 0 <= count <= LIMIT else None]


@value_rule("ReverseV2")
def reverse(call: Call) -> Sequence[Value | None]:
    """A vector backwards."""
    value = call.value(0)
    return [value[::-1] if value is not None and len(call.shape(0) or ()) == 1 else None]


@value_rule("DynamicStitch")
def stitch(call: Call) -> Sequence[Value | None]:
    """Numbers put at the positions of the first half of the inputs; the last one written stays."""
    half = len(call.shapes) // 2
    parts = _scalars(call, range(half, 2 * half))
    indices = [call.value(i) for i in range(half)]
    if parts is None or any(value is None or None in value for value in indices):
        return [None]
    result: dict[int, int | None] = {}
    for where, numbers in zip(indices, parts, strict=True):
        if len(where or ()) != len(numbers):
            return [None]
        result.update((i, x) for i, x in zip(where or (), numbers, strict=True) if i is not None)
    count = max(result, default=-1) + 1
    return [tuple(result.get(i) for i in range(count)) if count <= LIMIT else None]


@value_rule("ConcatOffset")
def offsets(call: Call) -> Sequence[Value | None]:
    """Where each of the tensors to be joined begins."""
    axis, parts = call.scalar(0), _scalars(call, range(1, len(call.shapes)))
    if axis is None or parts is None or any(not 0 <= axis < len(part) for part in parts):
        return [None] * call.outputs
    result: list[Value | None] = []
    total: int | None = 0
    for part in parts:
        result.append(tuple(total if i == axis else 0 for i in range(len(part))))
        here = part[axis]
        total = None if total is None or here is None else total + here
    return result


@value_rule("BroadcastArgs")
def broadcast_args(call: Call) -> Sequence[Value | None]:
    """The shape to which two shapes broadcast."""
    both_known = [from_value(call.value(i)) for i in (0, 1)]
    return [_sizes(broadcast(both_known))]


@value_rule("BroadcastGradientArgs")
def gradient_axes(call: Call) -> Sequence[Value | None]:
    """For each of two shapes the axes along which it was broadcast, so the gradient is summed there.

    An unknown dimension, usually the batch, is taken not to be 1.
    """
    a, b = call.value(0), call.value(1)
    if a is None or b is None:
        return [None, None]
    rank = max(len(a), len(b))
    first, second = ((1,) * (rank - len(value)) + value for value in (a, b))
    if first == second:
        return [(), ()]
    return [tuple(i for i, size in enumerate(dims) if size == 1) for dims in (first, second)]
