"""Devices written into a graph in protobuf's binary format, every other byte as it was."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pardnn.encoding import wire
from pardnn.encoding.layout import BODY_NODE, DEVICE, FUNCTION, INPUT, LIBRARY, NAME, NODE, OP, PATHS, SIGNATURE
from pardnn.encoding.wire import Field, encoded_varint, varint

_Change = Callable[[bytes, Field], bytes | None]


def write_wire_devices(
    data: bytes, kind: str, device_of: Mapping[str, str], bodies: Mapping[str, Mapping[str, str]]
) -> bytes:
    """As `graphfile.write_devices`; only the lengths of the messages around a changed node change with it; O(bytes)."""

    def node(data: bytes, field: Field) -> bytes | None:
        return _with_device(data, field, device_of)

    def function(data: bytes, field: Field) -> bytes | None:
        devices = bodies.get(_function_name(data, field), {}) if bodies else {}
        return _inside({BODY_NODE.number: lambda data, node: _with_device(data, node, devices)})(data, field)

    library = _inside({FUNCTION.number: function})
    change = _inside({NODE.number: node, LIBRARY.number: library})
    for step in reversed(PATHS[kind]):  # of a SavedModel's graphs the first
        change = _inside({step.number: _once(change) if kind == "SavedModel" else change})
    rewritten = change(data, Field(0, wire.BYTES, 0, 0, len(data)))
    return data if rewritten is None else rewritten


def _inside(changes: Mapping[int, _Change]) -> _Change:
    """The change of a message that applies `changes` to its fields by number; None where nothing changes."""

    def change(data: bytes, message: Field) -> bytes | None:
        pieces = []
        kept = message.value  # what stands before has been copied
        for field in wire.fields(data, message.value, message.end):
            if field.kind == wire.BYTES and field.number in changes:
                value = changes[field.number](data, field)
                if value is not None:
                    _, tag_end = varint(data, field.start, field.end)
                    pieces += [data[kept:tag_end], encoded_varint(len(value)), value]
                    kept = field.end
        return b"".join((*pieces, data[kept : message.end])) if pieces else None

    return change


def _once(change: _Change) -> _Change:
    """A change that applies to the first message it is asked about."""
    seen = []

    def first(data: bytes, message: Field) -> bytes | None:
        seen.append(message)
        return change(data, message) if len(seen) == 1 else None

    return first


def _function_name(data: bytes, function: Field) -> str:
    """The name in a function's signature; of several the last counts."""
    name = b""
    for signature in wire.fields(data, function.value, function.end):
        if signature.number == SIGNATURE.number and signature.kind == wire.BYTES:
            for field in wire.fields(data, signature.value, signature.end):
                if field.number == NAME.number and field.kind == wire.BYTES:
                    name = data[field.value : field.end]
    return name.decode()


def _with_device(data: bytes, node: Field, device_of: Mapping[str, str]) -> bytes | None:
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
    pieces = [data[node.value : place], written]
    for field in old:
        pieces.append(data[place : field.start])
        place = field.end
    return b"".join((*pieces, data[place : node.end]))


_BEFORE = frozenset((NAME.number, OP.number, INPUT.number))
