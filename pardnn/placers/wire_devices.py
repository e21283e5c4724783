"""Devices and control edges written into a graph in protobuf's binary format, every other byte as it was."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pardnn.encoding import wire
from pardnn.encoding.layout import BODY_NODE, DEVICE, FUNCTION, INPUT, LIBRARY, NAME, NODE, OP, PATHS, SIGNATURE
from pardnn.encoding.rewrite import Pieces, first, inside, rewritten
from pardnn.encoding.wire import Field, encoded_field


def write_wire_devices(
    data: bytes,
    kind: str,
    device_of: Mapping[str, str],
    bodies: Mapping[str, Mapping[str, str]],
    waits: Mapping[str, Sequence[str]],
) -> bytes:
    """As `graphfile.write_devices`, `waits` being the inputs to add by node; O(bytes).

    Only the lengths of the messages around a changed node change with it.
    """

    def node(data: bytes, field: Field) -> Pieces | None:
        return _changed(data, field, device_of, waits)

    def function(data: bytes, field: Field) -> Pieces | None:
        devices = bodies.get(_function_name(data, field), {}) if bodies else {}
        return inside({BODY_NODE.number: lambda data, node: _changed(data, node, devices, {})})(data, field)

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


def _changed(
    data: bytes, node: Field, device_of: Mapping[str, str], waits: Mapping[str, Sequence[str]]
) -> Pieces | None:
    """A node's bytes on its device and with its further inputs, None if nothing changes.

    The device goes where one was or after the inputs, the inputs behind the others.
    """
    name = b""
    old: list[Field] = []
    behind = node.value
    for field in wire.fields(data, node.value, node.end):
        if field.number == DEVICE.number and field.kind == wire.BYTES:
            old.append(field)
        elif field.number in _BEFORE:
            behind = field.end
            if field.number == NAME.number:
                name = data[field.value : field.end]
    device = device_of.get(name.decode(), "").encode()
    current = data[old[-1].value : old[-1].end] if old else b""
    edits = [(behind, behind, encoded_field(INPUT.number, text.encode())) for text in waits.get(name.decode(), ())]
    if device != current:
        place = old[0].start if old else behind
        edits += [(place, place, encoded_field(DEVICE.number, device))] if device else []
        edits += [(field.start, field.end, b"") for field in old]
    if not edits:
        return None
    pieces: Pieces = []
    whole, kept = memoryview(data), node.value  # what stands before is among the pieces
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):  # stable: inputs go first where both begin alike
        pieces += [whole[kept:start], new]
        kept = end
    return [*pieces, whole[kept : node.end]]


_BEFORE = frozenset((NAME.number, OP.number, INPUT.number))
