"""The graph in a TensorBoard events file: records of a length, its checksum, an Event, and its checksum.

What is read of it is the GraphDef alone, and so is what is written when it is placed: TensorFlow loads no graph from an
events file. Checksums are not looked at; a last record that is cut off, as in a run that still goes on, ends the file.
"""

from __future__ import annotations

from pathlib import Path

from pardnn.encoding import Malformed, wire
from pardnn.errors import InputError

_HEAD, _TAIL = 12, 4  # bytes around an Event
_VERSION = b"brain.Event:"
_GRAPH, _META_GRAPH = 4, 9  # fields of an Event


def graph_in_events(data: bytes, path: str | Path) -> bytes | None:
    """The bytes of the last GraphDef (else MetaGraphDef) in an events file; None if the data is no events file.

    Raises InputError for an events file without a graph.
    """
    if not is_events(data):
        return None
    found: dict[int, bytes] = {}
    place = 0
    while place + _HEAD < len(data):
        start = place + _HEAD
        end = start + int.from_bytes(data[place : place + 8], "little")
        if end > len(data):
            break
        try:
            for field in wire.fields(data, start, end):
                if field.kind == wire.BYTES and field.number in (_GRAPH, _META_GRAPH):
                    found[field.number] = data[field.value : field.end]
        except Malformed as error:
            raise InputError(f"{path}:byte {error.offset}: {error}: the events file is damaged") from None
        place = end + _TAIL
    if not found:
        raise InputError(f"{path}: the events file holds no graph: write one with tf.summary.graph or a FileWriter")
    return found.get(_GRAPH, found.get(_META_GRAPH))


def is_events(head: bytes) -> bool:
    """Whether a file that begins like this is an events file."""
    return _VERSION in head[_HEAD : _HEAD + 64]
