"""Devices and control edges written into a graph in protobuf's text format: only their lines differ from the input."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pardnn.encoding import text
from pardnn.encoding.layout import BODY_NODE, DEVICE, FUNCTION, INPUT, LIBRARY, NAME, NODE, OP, PATHS, SIGNATURE
from pardnn.encoding.literals import quote, unquote

_BOM = b"\xef\xbb\xbf"
_REST_OF_LINE = re.compile(rb"[ \t]*+[;,]?[ \t]*+(\#[^\n]*+)?(\r?\n)")
_SEPARATOR = re.compile(rb"[ \t]*+(?:[;,][ \t]*+)?")
_BEFORE = (NAME.name, OP.name, INPUT.name)


class _Edit(NamedTuple):
    """data[start:end] becomes `new`."""

    start: int
    end: int
    new: bytes


def write_text_devices(
    data: bytes,
    kind: str,
    device_of: Mapping[str, str],
    bodies: Mapping[str, Mapping[str, str]],
    waits: Mapping[str, Sequence[str]],
) -> bytes:
    """As `graphfile.write_devices`, `waits` being the inputs to add by node; O(bytes).

    Order, formatting, comments and line ends are kept.
    """
    whole = memoryview(data)  # large constants are copied once, where the pieces are joined
    pieces: list[bytes | memoryview] = []
    kept = 0  # what stands before is among the pieces
    for edit in _edits(data, kind, device_of, bodies, waits):
        pieces += [whole[kept : edit.start], edit.new]
        kept = edit.end
    return b"".join((*pieces, whole[kept:]))


def _edits(
    data: bytes,
    kind: str,
    device_of: Mapping[str, str],
    bodies: Mapping[str, Mapping[str, str]],
    waits: Mapping[str, Sequence[str]],
) -> Iterator[_Edit]:
    """What must change, in file order."""
    graph = tuple(step.name for step in PATHS[kind])
    library = (*graph, LIBRARY.name)
    start = len(_BOM) if data.startswith(_BOM) else 0
    for field in text.scan(data, start, enter=library):
        if field.path == graph and field.name == NODE.name:
            yield from _node_edits(data, field, device_of, waits)
        elif field.path == library and field.name == FUNCTION.name:
            inside = list(text.scan(data, *text.inside(data, field)))
            devices = bodies.get(_function_name(data, inside), {}) if bodies else {}
            for inner in inside:
                if inner.name == BODY_NODE.name:
                    yield from _node_edits(data, inner, devices, {})
        elif kind == "SavedModel" and field.path == () and field.name == graph[0]:
            return  # the second graph of a SavedModel is another graph


def _function_name(data: bytes, inside: list[text.Field]) -> str:
    """The name in a function's signature; of several the last counts."""
    name = b""
    for signature in inside:
        if signature.name == SIGNATURE.name:
            for field in text.scan(data, *text.inside(data, signature)):
                if field.name == NAME.name and isinstance(field.value, bytes):
                    name = unquote(field.value)
    return name.decode()


def _node_edits(
    data: bytes, node: text.Field, device_of: Mapping[str, str], waits: Mapping[str, Sequence[str]]
) -> list[_Edit]:
    """What must change in one node: of several devices the last counts, and only that stays."""
    name = current = b""
    old: list[text.Field] = []
    after = last_input = None
    start, stop = text.inside(data, node)
    for field in text.scan(data, start, stop):
        if field.name == DEVICE.name and isinstance(field.value, bytes):
            old.append(field)
            current = unquote(field.value)
        elif field.name in _BEFORE and isinstance(field.value, bytes):
            if data.startswith(field.name, field.start):  # not inside a list
                after = field
            if field.name == NAME.name:
                name = unquote(field.value)
            elif field.name == INPUT.name:
                last_input = field
    added = waits.get(name.decode(), ())
    inputs = [_inputs(data, start, last_input or after, added)] if added else []
    devices = _device_edits(data, start, old, current, after, device_of.get(name.decode(), ""))
    return sorted(inputs + devices, key=lambda edit: edit.start)  # stable: inputs go first where both begin alike


def _inputs(data: bytes, start: int, after: text.Field | None, added: Sequence[str]) -> _Edit:
    """Further inputs, behind the others; where these stand in a list, in that list."""
    texts = [quote(text) for text in added]
    if after is None:
        return _Edit(start, start, b" " + b" ".join(b"input: " + text for text in texts) + b" ")
    if not data.startswith(after.name, after.start):
        return _Edit(after.end, after.end, b"".join(b", " + text for text in texts))
    return _insertion(data, after, [b"input: " + text for text in texts])


def _device_edits(
    data: bytes, start: int, old: list[text.Field], current: bytes, after: text.Field | None, device: str
) -> list[_Edit]:
    """What gives a node its device."""
    if device.encode() == current:
        return []
    if not device:
        return [_removal(data, field) for field in old]
    if not old:
        written = b"device: " + quote(device)
        return [_insertion(data, after, [written]) if after else _Edit(start, start, b" " + written + b" ")]
    last = old[-1]
    assert isinstance(last.value, bytes)
    return [*(_removal(data, field) for field in old[:-1]), _Edit(last.end - len(last.value), last.end, quote(device))]


def _removal(data: bytes, field: text.Field) -> _Edit:
    """Without the field: without its line where it has one of its own."""
    begin = data.rfind(b"\n", 0, field.start) + 1
    rest = _REST_OF_LINE.match(data, field.end)
    if rest and not rest[1] and not data[begin : field.start].strip(b" \t"):
        return _Edit(begin, rest.end(), b"")
    separator = _SEPARATOR.match(data, field.end)
    assert separator is not None
    return _Edit(field.start, separator.end(), b"")


def _insertion(data: bytes, after: text.Field, written: Sequence[bytes]) -> _Edit:
    """Fields after a field: on the next lines, indented alike, where that field has a line of its own."""
    begin = data.rfind(b"\n", 0, after.start) + 1
    indent = data[begin : after.start]
    rest = _REST_OF_LINE.match(data, after.end)
    if rest and not indent.strip(b" \t"):
        return _Edit(rest.end(), rest.end(), b"".join(indent + field + rest[2] for field in written))
    return _Edit(after.end, after.end, b"".join(b" " + field for field in written))
