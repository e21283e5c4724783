"""Random graph files: a graph is drawn, then printed as text in a drawn style or encoded as binary."""

from __future__ import annotations

import random
import struct

from hypothesis import strategies as st

from pardnn.encoding.literals import quote
from pardnn.graph.raw import AttrValue, DType, FunctionRef, RawNode, Shape, TensorInfo
from pardnn.readers import dtypes, schema

_NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
_INT64 = st.integers(-(2**63), 2**63 - 1)
_FLOAT32 = st.floats(width=32, allow_nan=False)
_DTYPES = st.sampled_from([*dtypes.DTYPES.values(), DType(77), DType(177)])
_SHAPES = st.builds(Shape, st.none() | st.lists(st.integers(-1, 5), max_size=4).map(tuple))


@st.composite
def _tensors(draw: st.DrawFn) -> TensorInfo:
    """A constant with its values, where its type has any."""
    dtype, shape = draw(_DTYPES), draw(_SHAPES)
    want = dtypes.wanted(dtype, shape)
    if want is None:
        return TensorInfo(dtype, shape)
    one = {"f": _FLOAT32, "i": st.integers(-(2**31), 2**31 - 1), "q": _INT64, "?": st.booleans()}[want.code]
    return TensorInfo(dtype, shape, tuple(draw(st.lists(one, min_size=want.elements, max_size=want.elements))))


_KINDS: list[st.SearchStrategy[AttrValue]] = [
    st.binary(max_size=12), _INT64, _FLOAT32, st.booleans(), _DTYPES, _SHAPES, _tensors(),
    st.builds(FunctionRef, _NAMES),
]  # fmt: skip
_ATTRS = st.one_of(*_KINDS, *(st.lists(kind, max_size=4).map(tuple) for kind in _KINDS))

NODES = st.lists(
    st.builds(
        RawNode,
        name=_NAMES,
        op=st.sampled_from(["NoOp", "MatMul", "Ünbekannt"]),
        inputs=st.lists(_NAMES, max_size=3).map(tuple),
        device=st.sampled_from(["", "/device:GPU:0", 'a "quoted" \\ one']),
        attrs=st.dictionaries(_NAMES, _ATTRS, max_size=3),
    ),
    min_size=1,
    max_size=4,
)


def field_of(value: AttrValue) -> str:
    """The member of AttrValue that holds a value."""
    if isinstance(value, bool):
        return "b"
    kinds = {bytes: "s", DType: "type", int: "i", float: "f", Shape: "shape", TensorInfo: "tensor", FunctionRef: "func"}
    return kinds[type(value)]


def as_binary(nodes: list[RawNode]) -> bytes:
    """A GraphDef's bytes."""
    graph = schema.message("GraphDef")()
    for node in nodes:
        added = graph.node.add(name=node.name, op=node.op, input=node.inputs, device=node.device)
        for key, value in node.attrs.items():
            added.attr.add(key=key, value=_attr_message(value).SerializeToString())
    return bytes(graph.SerializeToString())


def _attr_message(value: AttrValue):  # type: ignore[no-untyped-def]
    """An AttrValue of the private schema."""
    message = schema.message("AttrValue")()
    if isinstance(value, tuple):
        message.list.SetInParent()
        for one in value:
            _set(message.list, field_of(one), one, repeated=True)
    else:
        _set(message, field_of(value), value, repeated=False)
    return message


def _set(message, name: str, value: AttrValue, *, repeated: bool) -> None:  # type: ignore[no-untyped-def]
    """Put one value into a member."""
    if isinstance(value, Shape | TensorInfo | FunctionRef):
        target = getattr(message, name).add() if repeated else getattr(message, name)
        target.SetInParent()
        if isinstance(value, Shape):
            _fill_shape(target, value)
        elif isinstance(value, FunctionRef):
            target.name = value.name
        else:
            target.dtype = value.dtype
            _fill_shape(target.tensor_shape, value.shape)
            if value.values is not None:
                want = dtypes.wanted(value.dtype, value.shape)
                assert want is not None
                target.tensor_content = struct.pack(f"<{want.elements}{want.code}", *value.values)
    elif repeated:
        getattr(message, name).append(value)
    else:
        setattr(message, name, value)


def _fill_shape(message, shape: Shape) -> None:  # type: ignore[no-untyped-def]
    """A TensorShapeProto."""
    message.unknown_rank = shape.dims is None
    for size in shape.dims or ():
        message.dim.add(size=size)


class Printer:
    """Prints a graph as text; spaces, separators, comments, brackets and quotes vary with the seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.plain = seed % 3 == 0  # as protobuf prints

    def nodes(self, nodes: list[RawNode]) -> bytes:
        """A GraphDef."""
        return b"".join(self.message(b"node", self.node(node)) for node in nodes)

    def node(self, node: RawNode) -> bytes:
        """The inside of a NodeDef."""
        parts = [self.string(b"name", node.name), self.string(b"op", node.op)]
        parts += [self.string(b"input", name) for name in node.inputs]
        parts += [self.string(b"device", node.device)] if node.device else []
        for key, value in node.attrs.items():
            parts.append(self.message(b"attr", self.string(b"key", key) + self.message(b"value", self.attr(value))))
        return b"".join(parts)

    def attr(self, value: AttrValue) -> bytes:
        """The inside of an AttrValue."""
        if isinstance(value, tuple):
            return self.message(b"list", b"".join(self.one(value) for value in value))
        return self.one(value)

    def one(self, value: AttrValue) -> bytes:
        """A member of an AttrValue that is no list."""
        name = field_of(value).encode()
        if isinstance(value, bytes):
            return self.field(name, b":", self.quoted(value))
        if isinstance(value, Shape):
            return self.message(name, self.shape(value))
        if isinstance(value, FunctionRef):
            return self.message(name, self.string(b"name", value.name))
        if isinstance(value, TensorInfo):
            return self.message(name, self.tensor(value))
        if isinstance(value, DType):
            known = {number: known.encode() for known, number in dtypes.DTYPES.items()}
            return self.field(name, b":", known.get(value, b"%d" % value))
        assert isinstance(value, int | float)
        return self.field(name, b":", str(value).lower().encode())

    def tensor(self, tensor: TensorInfo) -> bytes:
        """The inside of a TensorProto, its values as content or listed."""
        known = {number: name.encode() for name, number in dtypes.DTYPES.items()}
        parts = [self.field(b"dtype", b":", known.get(tensor.dtype, b"%d" % tensor.dtype))]
        parts.append(self.message(b"tensor_shape", self.shape(tensor.shape)))
        want = dtypes.wanted(tensor.dtype, tensor.shape)
        if want and tensor.values is not None:
            if self.random.random() < 0.5:
                content = struct.pack(f"<{want.elements}{want.code}", *tensor.values)
                parts.append(self.field(b"tensor_content", b":", self.quoted(content)))
            else:
                values = [str(value).lower().encode() for value in tensor.values]
                if self.random.random() < 0.3:
                    parts.append(self.field(want.field.encode(), b":", b"[" + b", ".join(values) + b"]"))
                else:
                    parts += [self.field(want.field.encode(), b":", value) for value in values]
        return b"".join(parts)

    def shape(self, shape: Shape) -> bytes:
        """The inside of a TensorShapeProto."""
        if shape.dims is None:
            return self.field(b"unknown_rank", b":", b"true")
        return b"".join(self.message(b"dim", self.field(b"size", b":", b"%d" % size)) for size in shape.dims)

    def string(self, name: bytes, value: str) -> bytes:
        """A string field."""
        return self.field(name, b":", self.quoted(value.encode()))

    def quoted(self, value: bytes) -> bytes:
        """A string in one of its spellings."""
        if not self.plain and value and self.random.random() < 0.2:
            cut = self.random.randrange(len(value))
            return self.quoted(value[:cut]) + self.space() + self.quoted(value[cut:])
        quoted = b"".join(quote(chr(byte))[1:-1] if byte < 128 else b"\\%03o" % byte for byte in value)
        if not self.plain and self.random.random() < 0.3:
            return b"'" + quoted.replace(b'\\"', b'"').replace(b"'", b"\\'") + b"'"
        return b'"' + quoted + b'"'

    def message(self, name: bytes, inside: bytes) -> bytes:
        """A message field."""
        left, right = (b"<", b">") if not self.plain and self.random.random() < 0.2 else (b"{", b"}")
        colon = b":" if not self.plain and self.random.random() < 0.3 else b""
        return self.field(name, colon, left + self.space() + inside + right)

    def field(self, name: bytes, colon: bytes, value: bytes) -> bytes:
        """A field and what separates it from the next."""
        unknown = (
            b"" if self.plain or self.random.random() < 0.95 else b'[a.b/c]: [{x: "}"}, <>] [c]: [2.5f, -1] zz: -1 '
        )
        after = b"\n" if self.plain else self.random.choice((b" ", b"\n", b"\r\n", b", ", b"; ", b" # {\n", b"\t"))
        return unknown + name + colon + self.space() + value + after

    def space(self) -> bytes:
        """Nothing much."""
        return b" " if self.plain else self.random.choice((b"", b" ", b"\n", b"\r\n  ", b" # a 'comment'\n"))
