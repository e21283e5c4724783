"""A graph from protobuf's binary format: GraphDef, MetaGraphDef or SavedModel (its first graph)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from google.protobuf.message import DecodeError

from pardnn.encoding import Malformed, wire
from pardnn.graph.raw import AttrValue, DType, FunctionRef, RawFunction, RawNode, Shape, TensorInfo
from pardnn.readers import dtypes, schema
from pardnn.readers.contents import Contents
from pardnn.readers.slim import slim

_LONGEST_REMEMBERED = 4096  # longer attributes are constants, seldom equal


def read_binary(data: bytes) -> Contents:
    """What the bytes hold; attributes without a value are left out. Raises Malformed with the offset of the damage."""
    kind = _kind(data)
    try:
        message = schema.message(kind).FromString(slim(data, kind))
    except DecodeError as error:
        raise _located(data, kind, error) from None
    meta = message
    if kind == "SavedModel":
        if not message.meta_graphs:
            return Contents(kind)
        meta = message.meta_graphs[0]
    graph = message if kind == "GraphDef" else meta.graph_def
    read = _Reader()
    functions = tuple(read.function(function) for function in graph.library.function)
    nodes = tuple(read.node(node) for node in graph.node)
    collections = [] if kind == "GraphDef" else meta.collection_def
    train_ops = (name for entry in collections if entry.key == "train_op" for name in entry.value.node_list.value)
    return Contents(kind, nodes, functions, tuple(train_ops))


_OP_NAME = re.compile(rb"[A-Za-z]\w")


def _kind(data: bytes) -> str:
    """The outermost message: a SavedModel's field 1 is a number, a MetaGraphDef's field 2 holds nodes."""
    for field in wire.fields(data):
        if field.number == 1 and field.kind == wire.VARINT:
            return "SavedModel"
        if field.kind == wire.BYTES and field.number == 1 and _is_node(data, field):
            return "GraphDef"
        if field.kind == wire.BYTES and field.number == 2:
            first = next(_inside(data, field), None)
            return "MetaGraphDef" if first and first.number == 1 and _is_node(data, first) else "GraphDef"
    return "GraphDef"


def _is_node(data: bytes, field: wire.Field) -> bool:
    """Whether a field can be a NodeDef: its second field is the op's name (elsewhere a message or a version)."""
    return any(
        inner.number == 2 and inner.kind == wire.BYTES and _OP_NAME.match(data, inner.value, inner.end)
        for inner in _inside(data, field)
    )


def _inside(data: bytes, field: wire.Field) -> Iterator[wire.Field]:
    """A message's fields up to where they make no sense."""
    try:
        yield from wire.fields(data, field.value, field.end)
    except Malformed:
        return


def _located(data: bytes, kind: str, error: DecodeError) -> Malformed:
    """Where a file that protobuf refuses is broken: its cut-off end, or the node that cannot be read."""
    try:
        for index, field in enumerate(wire.fields(data)):
            if kind == "GraphDef" and field.number == 1 and field.kind == wire.BYTES:
                try:
                    schema.message("NodeDef").FromString(data[field.value : field.end])
                except DecodeError:
                    return Malformed(field.start, f"node number {index} cannot be read: not a graph, or damaged")
    except Malformed as broken:
        return broken
    return Malformed(0, f"not a {kind}, or damaged ({' '.join(str(error).split())})")


class _Reader:
    """Reads messages; remembers attributes it has seen."""

    def __init__(self) -> None:
        self.seen: dict[bytes, AttrValue | None] = {}
        self.strings: dict[str, str] = {}

    def node(self, node: Any) -> RawNode:
        """One NodeDef."""
        share = self.strings.setdefault  # a name occurs in inputs again and again: keep one copy
        inputs = tuple(share(name, name) for name in node.input)
        name, op, device = (share(text, text) for text in (node.name, node.op, node.device))
        return RawNode(name, op, inputs, device, self.attrs(node.attr))

    def function(self, function: Any) -> RawFunction:
        """One FunctionDef."""
        return RawFunction(
            name=function.signature.name,
            arguments=tuple(argument.name for argument in function.signature.input_arg),
            nodes=tuple(self.node(node) for node in function.node_def),
            results={result.key: result.value for result in function.ret},
            attrs=self.attrs(function.attr),
            outputs=tuple(result.name for result in function.signature.output_arg),
            awaited=tuple(sorted({result.value for result in function.control_ret})),
        )

    def attrs(self, entries: Iterable[Any]) -> dict[str, AttrValue]:
        """The attributes by name; of two with one name the last."""
        found = {}
        for entry in entries:
            value = self.attr(entry.value)
            if value is not None:
                found[self.strings.setdefault(entry.key, entry.key)] = value
        return found

    def attr(self, data: bytes) -> AttrValue | None:
        """One attribute's value from its bytes."""
        if data in self.seen:
            return self.seen[data]
        try:
            message = schema.message("AttrValue").FromString(data)
        except DecodeError:
            raise Malformed(0, "an attribute of a node cannot be read: not a graph, or damaged") from None
        kind = message.WhichOneof("value")
        value: AttrValue | None = None
        if kind == "list":
            value = _list(message.list)
        elif kind:
            value = _DECODE[kind](getattr(message, kind))
        if len(data) < _LONGEST_REMEMBERED:
            self.seen[data] = value
        return value


def _list(message: Any) -> tuple[AttrValue, ...]:
    """A list of attribute values, kind after kind (in a sane file there is one)."""
    return tuple(decode(value) for kind, decode in _DECODE.items() for value in getattr(message, kind))


def _shape(message: Any) -> Shape:
    """A TensorShapeProto."""
    return Shape(None if message.unknown_rank else tuple(dim.size for dim in message.dim))


def _tensor(message: Any) -> TensorInfo:
    """A TensorProto; its values only where they are few."""
    dtype, shape = DType(message.dtype), _shape(message.tensor_shape)
    want = dtypes.wanted(dtype, shape)
    if want is None:
        return TensorInfo(dtype, shape)
    return TensorInfo(dtype, shape, dtypes.values(want, getattr(message, want.field), message.tensor_content))


def _same(value: Any) -> AttrValue:
    """A plain value."""
    return value  # type: ignore[no-any-return]


_DECODE: dict[str, Callable[[Any], AttrValue]] = {
    "s": _same,
    "i": _same,
    "f": _same,
    "b": _same,
    "type": DType,
    "shape": _shape,
    "tensor": _tensor,
    "func": lambda message: FunctionRef(message.name),
}
