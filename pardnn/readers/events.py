"""The graph in a TensorBoard events file: records of a length, its checksum, an Event, and its checksum.

What is read of it is the GraphDef alone, and so is what is written when it is placed: TensorFlow loads no graph from an
events file. A last record that is cut off, as in a run that still goes on, ends the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pardnn.encoding import Malformed, wire
from pardnn.encoding.crc32c import crc32c, masked
from pardnn.errors import InputError

_LENGTH, _CHECKSUM = 8, 4  # bytes; little-endian numbers
_HEAD = _LENGTH + _CHECKSUM
_VERSION = b"brain.Event:"
_GRAPH, _META_GRAPH = 4, 9  # fields of an Event


def graph_in_events(data: bytes, path: str | Path) -> bytes | None:
    """The bytes of the last GraphDef (else MetaGraphDef) in an events file; None if the data is no events file.

    Raises InputError for a damaged events file and for one without a graph.
    """
    if not is_events(data):
        return None
    found: dict[int, bytes] = {}
    try:
        for start, end in _records(data):
            for field in wire.fields(data, start, end):
                if field.kind == wire.BYTES and field.number in (_GRAPH, _META_GRAPH):
                    found[field.number] = data[field.value : field.end]
    except Malformed as error:
        raise InputError(f"{path}:byte {error.offset}: {error}: the events file is damaged") from None
    if not found:
        raise InputError(f"{path}: the events file holds no graph: write one with tf.summary.graph or a FileWriter")
    return found.get(_GRAPH, found.get(_META_GRAPH))


def is_events(head: bytes) -> bool:
    """Whether a file that begins like this is an events file."""
    return _VERSION in head[_HEAD : _HEAD + 64]


def _records(data: bytes) -> Iterator[tuple[int, int]]:
    """Where each whole record's Event begins and ends. Raises Malformed where a checksum is wrong."""
    place = 0
    while place + _HEAD <= len(data):
        start = place + _HEAD
        _check(data, place, start - _CHECKSUM, "length")
        end = start + int.from_bytes(data[place : place + _LENGTH], "little")
        if end + _CHECKSUM > len(data):
            return
        _check(data, start, end, "event")
        yield start, end
        place = end + _CHECKSUM


def _check(data: bytes, start: int, end: int, what: str) -> None:
    """Compare data[start:end] with the checksum behind it."""
    if masked(crc32c(data[start:end])) != int.from_bytes(data[end : end + _CHECKSUM], "little"):
        raise Malformed(start, f"this {what} does not match its checksum")
