"""The value of an attribute from the text format. Every function raises ValueError with a reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from pardnn.encoding import literals
from pardnn.encoding.text import Value, message
from pardnn.graph.raw import AttrValue, DType, FunctionRef, Shape, TensorInfo
from pardnn.readers import dtypes

_Scalar = TypeVar("_Scalar")


def attr_value(value: Value) -> AttrValue | None:
    """An AttrValue; None where it holds nothing a graph is read for. Of several the last counts."""
    found: AttrValue | None = None
    for name, inner in message(value):
        if name == b"list":
            found = _list(inner)
        elif name in _DECODE:
            found = _DECODE[name](inner)[-1]
    return found


def plain(value: Value) -> bytes:
    """A scalar as written."""
    if isinstance(value, list) or value[:1] == b"{":
        raise ValueError("a plain value is expected, not a message in braces")
    return value


def string(value: Value) -> bytes:
    """A string field's bytes."""
    return literals.unquote(plain(value))


def name_of(value: Value) -> str:
    """A name: a string field that is UTF-8."""
    try:
        return string(value).decode()
    except UnicodeDecodeError:
        raise ValueError("a name is not UTF-8") from None


def _list(value: Value) -> tuple[AttrValue, ...]:
    """A list of attribute values, kind after kind (in a sane file there is one)."""
    found: dict[bytes, list[AttrValue]] = {}
    for name, inner in message(value):
        if name in _DECODE:
            found.setdefault(name, []).extend(_DECODE[name](inner))
    kinds = _DECODE if len(found) > 1 else found
    return tuple(one for kind in kinds for one in found.get(kind, ()))


def _scalars(decode: Callable[[bytes], _Scalar], value: Value) -> list[_Scalar]:
    """The numbers of one field, which can be a run of them."""
    return [decode(atom) for atom in literals.atoms(plain(value))]


def _int64(raw: bytes) -> int:
    """A signed 64-bit number."""
    number = literals.integer(raw)
    if number >= 2**63:
        raise ValueError(f"{number} is more than 64 bits hold")
    return number


def _dtype(raw: bytes) -> DType:
    """A DataType by name or number; 0 where TensorFlow has got a name that we do not know."""
    known = dtypes.DTYPES.get(raw.decode("utf-8", "replace"))
    if known is not None:
        return known
    return DType(0) if raw[:1].isalpha() else DType(literals.integer(raw))


def _shape(value: Value) -> Shape:
    """A TensorShapeProto."""
    dims: list[int] = []
    unknown = False
    for name, inner in message(value):
        if name == b"dim":
            sizes = [size for part, size in message(inner) if part == b"size"]
            dims.append(_scalars(_int64, sizes[-1])[-1] if sizes else 0)
        elif name == b"unknown_rank":
            unknown = _scalars(literals.boolean, inner)[-1]
    return Shape(None if unknown else tuple(dims))


def _tensor(value: Value) -> TensorInfo:
    """A TensorProto; its values only where they are few."""
    dtype, shape, content = DType(0), Shape(()), b""
    fields = message(value)
    for name, inner in fields:
        if name == b"dtype":
            dtype = _scalars(_dtype, inner)[-1]
        elif name == b"tensor_shape":
            shape = _shape(inner)
    want = dtypes.wanted(dtype, shape)
    if want is None:
        return TensorInfo(dtype, shape)
    listed: list[int | float] = []
    for name, inner in fields:
        if name == want.field.encode():
            listed += _scalars(_NUMBERS[want.code], inner)
        elif name == b"tensor_content":
            content = string(inner)
    return TensorInfo(dtype, shape, dtypes.values(want, listed, content))


def _function(value: Value) -> FunctionRef:
    """A NameAttrList, of which the name is enough."""
    names = [inner for name, inner in message(value) if name == b"name"]
    return FunctionRef(name_of(names[-1]) if names else "")


_NUMBERS: dict[str, Callable[[bytes], int | float]] = {
    "f": literals.real, "i": _int64, "q": _int64, "?": literals.boolean,
}  # fmt: skip

# One field gives several values where numbers follow one another.
_DECODE: dict[bytes, Callable[[Value], Sequence[AttrValue]]] = {
    b"s": lambda value: [string(value)],
    b"i": partial(_scalars, _int64),
    b"f": partial(_scalars, literals.real),
    b"b": partial(_scalars, literals.boolean),
    b"type": partial(_scalars, _dtype),
    b"shape": lambda value: [_shape(value)],
    b"tensor": lambda value: [_tensor(value)],
    b"func": lambda value: [_function(value)],
}
