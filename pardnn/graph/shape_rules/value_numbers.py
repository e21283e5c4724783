"""The numbers in shape-like tensors: arithmetic on them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from math import prod

from pardnn.graph.shape_rules.dims import Value
from pardnn.graph.shape_rules.rule import Call, value_rule
from pardnn.graph.shape_rules.value_arrays import LIMIT

_BINARY: dict[str, Callable[[int, int], int]] = {
    "Add": operator.add,
    "AddV2": operator.add,
    "Sub": operator.sub,
    "Mul": operator.mul,
    "FloorDiv": lambda a, b: a // b,
    "FloorMod": lambda a, b: a % b,
    "Div": lambda a, b: a // b,
    "Maximum": max,
    "Minimum": min,
}
_FOLDS: dict[str, Callable[[Sequence[int]], int]] = {"Prod": prod, "Sum": sum, "Max": max, "Min": min}


@value_rule(*_BINARY)
def binary(call: Call) -> Sequence[Value | None]:
    """Number by number; a single one is used for all."""
    a, b = call.value(0), call.value(1)
    if a is None or b is None:
        return [None]
    if len(a) != len(b):
        a, b = (a * len(b), b) if len(a) == 1 else (a, b * len(a))
    if len(a) != len(b) or len(call.shapes[0] or ()) > 1 or len(call.shapes[1] or ()) > 1:
        return [None]
    compute = _BINARY[call.op]
    return [tuple(_apply(compute, x, y) for x, y in zip(a, b, strict=True))]


def _apply(compute: Callable[[int, int], int], a: int | None, b: int | None) -> int | None:
    if a is None or b is None:
        return None
    try:
        return compute(a, b)
    except ZeroDivisionError:
        return None


@value_rule("Neg")
def negative(call: Call) -> Sequence[Value | None]:
    """Each number negated."""
    value = call.value(0)
    return [None if value is None else tuple(None if x is None else -x for x in value)]


@value_rule(*_FOLDS)
def fold(call: Call) -> Sequence[Value | None]:
    """One number out of a vector, if all of it is folded."""
    value, axes = call.value(0), call.value(1)
    if value is None or axes is None or len(call.shape(0) or ()) != 1 or axes not in ((0,), (-1,)):
        return [None]
    known = [x for x in value if x is not None]
    if len(known) < len(value) or (not known and call.op in ("Max", "Min")):
        return [(None,)]
    return [(_FOLDS[call.op](known),)]


@value_rule("Range")
def number_range(call: Call) -> Sequence[Value | None]:
    """[start, limit) in steps."""
    start, limit, step = call.scalar(0), call.scalar(1), call.scalar(2)
    if start is None or limit is None or not step:
        return [None]
    if -((start - limit) // step) > LIMIT:  # len() of the range itself fails for spans that no tensor can have
        return [None]
    return [tuple(range(start, limit, step))]


@value_rule("ZerosLike", "OnesLike")
def filled(call: Call) -> Sequence[Value | None]:
    """As many zeros or ones as the input has numbers."""
    value = call.value(0)
    return [None if value is None else (int(call.op == "OnesLike"),) * len(value)]


@value_rule("InvertPermutation")
def inverse(call: Call) -> Sequence[Value | None]:
    """Where each number stands."""
    value = call.value(0)
    if value is None or sorted(-1 if x is None else x for x in value) != list(range(len(value))):
        return [None]
    return [tuple(value.index(i) for i in range(len(value)))]
