"""Devices written into a graph in protobuf's binary format, every other byte as it was."""

from __future__ import annotations

from collections.abc import Mapping

from pardnn.encoding import wire
from pardnn.encoding.layout import BODY_NODE, DEVICE, FUNCTION, INPUT, LIBRARY, NAME, NODE, OP, PATHS, SIGNATURE
from pardnn.encoding.rewrite import Pieces, first, inside, rewritten
from pardnn.encoding.wire import Field, encoded_varint


def write_wire_devices(
    data: bytes, kind: str, device_of: Mapping[str, str], bodies: Mapping[str, Mapping[str, str]]
) -> bytes:
    """As `graphfile.write_devices`; only the lengths of the messages around a changed node change with it; O(bytes)."""

    def node(data: bytes, field: Field) -> Pieces | None:
        return _with_device(data, field, device_of)

    def function(data: bytes, field: Field) -> Pieces | None:
        devices = bodies.get(_function_name(data, field), {}) if bodies else {}
        return inside({BODY_NODE.number: lambda data, node: _with_device(data, node, devices)})(data, field)

    library = inside({FUNCTION.number: function})
    change = inside({NODE.number: node, LIBRARY.number: library})
    for step in reversed(PATHS[kind]):  # of a SavedModel's graphs the first
        change = inside({step.number: first(change) if kind == "SavedModel" else change})
    return rewritten(data, change)


def _function_name(data: bytes, function: Field) -> str:
    """The name in a function's signature; of several the last counts."""
    name = b""
    for signature in wire.fields(data, function.value, function.end):
        if signature.number == SIGNATURE.number and signature.kind == wire.BYTES:
            for field in wire.fields(data, signature.value, signature.end):
                if field.number == NAME.number and field.kind == wire.BYTES:
                    name = data[field.value : field.end]
    return name.decode()


def _with_device(data: bytes, node: Field, device_of: Mapping[str, str]) -> Pieces | None:
    """A node's bytes on its device, None if it is there already. The field goes where one was or after the inputs."""
    name = b""
    old: list[Field] = []
    place = node.value
    for field in wire.fields(data, node.value, node.end):
        if field.number == DEVICE.number and field.kind == wire.BYTES:
            old.append(field)
        elif field.number in _BEFORE:
            place = field.end
            if field.number == NAME.number:
                name = data[field.value : field.end]
    device = device_of.get(name.decode(), "").encode()
    current = data[old[-1].value : old[-1].end] if old else b""
    if device == current:
        return None
    place = old[0].start if old else place
    written = bytes((DEVICE.number << 3 | wire.BYTES,)) + encoded_varint(len(device)) + device if device else b""
    whole = memoryview(data)
    pieces: Pieces = [whole[node.value : place], written]
    for field in old:
        pieces.append(whole[place : field.start])
        place = field.end
    return [*pieces, whole[place : node.end]]


_BEFORE = frozenset((NAME.number, OP.number, INPUT.number))
