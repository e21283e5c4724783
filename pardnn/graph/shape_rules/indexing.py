"""Slices and look-ups."""

from __future__ import annotations

from collections.abc import Sequence

from pardnn.graph.shape_rules.dims import UNKNOWN, Dims, counted, from_value
from pardnn.graph.shape_rules.rule import Call, shape_rule


@shape_rule("Slice")
def cut(call: Call) -> Sequence[Dims]:
    """The sizes in the third input; -1 there means up to the end."""
    dims, begin, size = call.shape(0), call.value(1), call.value(2)
    if dims is None:
        return [from_value(size, call.shape(2))]
    if size is None or len(size) != len(dims):
        return [(UNKNOWN,) * len(dims)]
    starts = begin if begin is not None and len(begin) == len(dims) else (None,) * len(dims)
    return [tuple(_length(*one) for one in zip(dims, starts, size, strict=True))]


def _length(whole: int, start: int | None, size: int | None) -> int:
    if size is None:
        return UNKNOWN
    if size >= 0:
        return size
    return UNKNOWN if whole < 0 or start is None else max(whole - start, 0)


Slot = slice | int | None
"""One entry of a strided slice: a range, one position, or (None) a new axis."""


def strided(call: Call, dims: tuple[int, ...], first: int = 0) -> list[Slot | str] | None:
    """The entries of a StridedSlice, one for each axis of `dims` and each new axis; None if they are not known.

    `begin`, `end` and `strides` are data inputs first + 1, + 2, + 3. A range whose ends are not known is "?".
    """
    begin, end, step = (call.value(first + i) for i in (1, 2, 3))
    count = next((len(value) for value in (begin, end, step) if value is not None), None)
    if count is None:
        return None
    begin, end, step = (value if value is not None else (None,) * count for value in (begin, end, step))
    masks = {name: call.number(f"{name}_mask") for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}
    taken = sum(1 for i in range(count) if not (masks["ellipsis"] | masks["new_axis"]) >> i & 1)
    slots: list[Slot | str] = []
    axis = 0
    for i in range(min(count, len(begin), len(end), len(step))):
        bit = 1 << i
        if masks["ellipsis"] & bit:
            slots += [slice(None)] * max(len(dims) - taken, 0)
            axis += max(len(dims) - taken, 0)
        elif masks["new_axis"] & bit:
            slots.append(None)
        elif axis >= len(dims):
            return None
        elif masks["shrink_axis"] & bit:
            slots.append("!" if begin[i] is None else begin[i])
            axis += 1
        else:
            start, stop = (None if masks[m] & bit else v for m, v in (("begin", begin[i]), ("end", end[i])))
            open_end = (start is None and not masks["begin"] & bit) or (stop is None and not masks["end"] & bit)
            slots.append("?" if open_end or not step[i] else slice(start, stop, step[i]))
            axis += 1
    return slots + [slice(None)] * (len(dims) - axis)


@shape_rule("StridedSlice", "ResourceStridedSlice")
def strided_slice(call: Call) -> Sequence[Dims]:
    """What is left of each axis; indexed axes vanish and new ones appear."""
    dims = call.shape(0)
    slots = None if dims is None else strided(call, dims)
    if dims is None or slots is None:
        return [None]
    result: list[int] = []
    axis = 0
    for slot in slots:
        if slot is None:
            result.append(1)
            continue
        if isinstance(slot, slice):
            size = dims[axis]
            whole = slot == slice(None) or slot == slice(None, None, 1)
            result.append(len(range(*slot.indices(size))) if size >= 0 else size if whole else _ahead(slot))
        elif slot == "?":
            result.append(UNKNOWN)
        axis += 1
    return [tuple(result)]


def _ahead(slot: slice) -> int:
    """Length of a slice [a:b] with both ends counted from the front, of an axis that is taken to be long enough."""
    start = slot.start or 0
    if slot.stop is None or start < 0 or slot.stop < start or slot.step != 1:
        return UNKNOWN
    return int(slot.stop - start)


@shape_rule("GatherV2", "Gather")
def gather(call: Call) -> Sequence[Dims]:
    """The indices' shape in place of the axis looked up."""
    table, indices = call.shape(0), call.shape(1)
    axis = call.scalar(2) if call.op == "GatherV2" else 0
    batch = call.number("batch_dims")
    if table is None or indices is None or axis is None or not -len(table) <= axis < len(table):
        return [None]
    axis %= len(table)
    return [table[:axis] + indices[batch % (len(indices) + 1) if batch < 0 else batch :] + table[axis + 1 :]]


@shape_rule("ResourceGather")
def gather_variable(call: Call) -> Sequence[Dims]:
    """The indices' shape in place of the variable's first axis."""
    held, indices = call.refers(0), call.shape(1)
    table = held.shapes[0] if held and held.shapes else None
    return [None if not table or indices is None else indices + table[1:]]


@shape_rule("GatherNd", "ResourceGatherNd")
def gather_points(call: Call) -> Sequence[Dims]:
    """One slice of the table for each row of indices."""
    table, indices = call.shape(0), call.shape(1)
    if table is None or not indices or indices[-1] < 0:
        return [None]
    return [indices[:-1] + table[indices[-1] :]]


@shape_rule("ScatterNd")
def scatter(call: Call) -> Sequence[Dims]:
    """The shape that the third input spells."""
    return [from_value(call.value(2), call.shape(2))]


@shape_rule("OneHot")
def one_hot(call: Call) -> Sequence[Dims]:
    """The indices with a new axis as deep as the second input says."""
    indices, depth, axis = call.shape(0), call.scalar(1), call.number("axis", -1)
    if indices is None:
        return [None]
    axis = len(indices) if axis == -1 else axis
    return [(*indices[:axis], counted(depth), *indices[axis:])]


@shape_rule("Where")
def where(call: Call) -> Sequence[Dims]:
    """A row of indices for each true element."""
    dims = call.shape(0)
    return [(UNKNOWN, UNKNOWN if dims is None else len(dims))]


@shape_rule("Unique", "UniqueV2", "UniqueWithCounts", "UniqueWithCountsV2")
def unique(call: Call) -> Sequence[Dims]:
    """(distinct values, the number of each input's value among them, counts)."""
    return [(UNKNOWN,), call.shape(0), (UNKNOWN,)]


@shape_rule("DynamicPartition")
def partition(call: Call) -> Sequence[Dims]:
    """Any number of rows in each part."""
    data, parts = call.shape(0), call.shape(1)
    if data is None or parts is None:
        return [None] * call.outputs
    return [(UNKNOWN, *data[len(parts) :])] * call.outputs


@shape_rule("NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3", "SetDiff1D", "ListDiff")
def some(call: Call) -> Sequence[Dims]:
    """A vector of unknown length for each output."""
    return [(UNKNOWN,)] * call.outputs
