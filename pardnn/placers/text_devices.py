"""Devices written into a graph in protobuf's text format: the difference to the input is device lines only."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
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
    data: bytes, kind: str, device_of: Mapping[str, str], bodies: Mapping[str, Mapping[str, str]]
) -> bytes:
    """As `graphfile.write_devices`; order, formatting, comments and line ends are kept; O(bytes)."""
    whole = memoryview(data)  # large constants are copied once, where the pieces are joined
    pieces: list[bytes | memoryview] = []
    kept = 0  # what stands before is among the pieces
    for edit in _edits(data, kind, device_of, bodies):
        pieces += [whole[kept : edit.start], edit.new]
        kept = edit.end
    return b"".join((*pieces, whole[kept:]))


def _edits(
    data: bytes, kind: str, device_of: Mapping[str, str], bodies: Mapping[str, Mapping[str, str]]
) -> Iterator[_Edit]:
    """What must change, in file order."""
    graph = tuple(step.name for step in PATHS[kind])
    library = (*graph, LIBRARY.name)
    start = len(_BOM) if data.startswith(_BOM) else 0
    for field in text.scan(data, start, enter=library):
        if field.path == graph and field.name == NODE.name:
            yield from _node_edits(data, field, device_of)
        elif field.path == library and field.name == FUNCTION.name:
            inside = list(text.scan(data, *text.inside(data, field)))
            devices = bodies.get(_function_name(data, inside), {}) if bodies else {}
            for inner in inside:
                if inner.name == BODY_NODE.name:
                    yield from _node_edits(data, inner, devices)
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


def _node_edits(data: bytes, node: text.Field, device_of: Mapping[str, str]) -> list[_Edit]:
    """What must change in one node: of several devices the last counts, and only that stays."""
    name = current = b""
    old: list[text.Field] = []
    after = None
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
    device = device_of.get(name.decode(), "")
    if device.encode() == current:
        return []
    if not device:
        return [_removal(data, field) for field in old]
    if not old:
        return [_insertion(data, after, device) if after else _Edit(start, start, b" device: " + quote(device) + b" ")]
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


def _insertion(data: bytes, after: text.Field, device: str) -> _Edit:
    """A device after a field: on the next line, indented alike, where that field has a line of its own."""
    begin = data.rfind(b"\n", 0, after.start) + 1
    indent = data[begin : after.start]
    rest = _REST_OF_LINE.match(data, after.end)
    if rest and not indent.strip(b" \t"):
        return _Edit(rest.end(), rest.end(), indent + b"device: " + quote(device) + rest[2])
    return _Edit(after.end, after.end, b" device: " + quote(device))
