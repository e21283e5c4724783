"""The placed graph as an events file: TensorBoard's graph tab then colours the ops by their device."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from pardnn.encoding.crc32c import crc32c, masked
from pardnn.encoding.wire import encoded_field, encoded_varint
from pardnn.graph.raw import Shape

# Fields by number: of an Event, a GraphDef, a NodeDef, an AttrValue and its list, a TensorShapeProto and its dimension.
_WALL_TIME, _VERSION, _GRAPH = b"\x09", 3, 4
_NODE = 1
_NAME, _OP, _INPUT, _DEVICE, _ATTR = 1, 2, 3, 4, 5
_LIST, _INT, _SHAPES = 1, 3, 7
_DIM, _UNKNOWN_RANK = 2, 3


class BoardNode(NamedTuple):
    """An op as TensorBoard is to show it; inputs as a NodeDef writes them: "x", "x:1", "^x"."""

    name: str
    op: str
    inputs: Sequence[str]
    device: str
    shapes: Sequence[Shape] = ()
    """Of its outputs; they are written at the edges."""
    numbers: Mapping[str, int] = MappingProxyType({})
    """Further attributes, shown when the op is chosen."""


def events_file(nodes: Sequence[BoardNode]) -> bytes:
    """The bytes of an events file with one graph, without any time of day. O(bytes)."""
    graph = b"".join(encoded_field(_NODE, _node(node)) for node in nodes)
    at_zero = _WALL_TIME + struct.pack("<d", 0.0)
    return b"".join(
        _record(at_zero + event) for event in (encoded_field(_VERSION, b"brain.Event:2"), encoded_field(_GRAPH, graph))
    )


def _record(event: bytes) -> bytes:
    return _sealed(struct.pack("<Q", len(event))) + _sealed(event)


def _sealed(data: bytes) -> bytes:
    """The data with its checksum behind it."""
    return data + struct.pack("<I", masked(crc32c(data)))


def _node(node: BoardNode) -> bytes:
    texts = [(_NAME, node.name), (_OP, node.op), *((_INPUT, text) for text in node.inputs), (_DEVICE, node.device)]
    attrs = {name: _number(_INT, value) for name, value in node.numbers.items()}
    if node.shapes:
        shapes = b"".join(encoded_field(_SHAPES, _shape(shape)) for shape in node.shapes)
        attrs["_output_shapes"] = encoded_field(_LIST, shapes)
    fields = [(number, text.encode(errors="replace")) for number, text in texts if text]
    fields += [
        (_ATTR, encoded_field(1, name.encode()) + encoded_field(2, attr)) for name, attr in sorted(attrs.items())
    ]
    return b"".join(encoded_field(number, value) for number, value in fields)


def _shape(shape: Shape) -> bytes:
    if shape.dims is None:
        return _number(_UNKNOWN_RANK, 1)
    return b"".join(encoded_field(_DIM, _number(1, size)) for size in shape.dims)


def _number(number: int, value: int) -> bytes:
    """A whole number; a negative one as protobuf has it, in 64 bits."""
    return bytes((number << 3,)) + encoded_varint(value & 0xFFFF_FFFF_FFFF_FFFF)
