"""The door for TensorFlow's graph files."""

from __future__ import annotations

from pathlib import Path

from pardnn.encoding import Malformed, where
from pardnn.errors import InputError
from pardnn.graph.raw import RawGraph, RawNode, Source
from pardnn.readers.contents import Contents
from pardnn.readers.file import BOM, File, Form, load, sniff


def read_graph(path: str | Path) -> tuple[RawGraph, bytes]:
    """The graph in a file, and the file's data, unpacked, as a placer rewrites it; O(bytes).

    Raises InputError with the file and the line (in a binary file the byte) for whatever cannot be a graph.
    """
    return parse_graph(load(path), path)


def parse_graph(file: File, path: str | Path) -> tuple[RawGraph, bytes]:
    """As `read_graph`, of a file that is loaded already."""
    form = sniff(file.data, path)
    if form is Form.JSON:
        raise InputError(f"{path}: is JSON (a cost graph?), where a TensorFlow graph is needed")
    try:
        contents = _read(file.data, form)
    except Malformed as error:
        place = where(file.data, error.offset, text=form is Form.TEXT)
        raise InputError(f"{path}:{place}: {error}") from None
    if not contents.nodes:
        raise InputError(f"{path}: the graph has no nodes: is it the file you meant?")
    for index, node in enumerate(contents.nodes):
        _check(node, index, path)
    source = Source(str(path), contents.kind, form is Form.TEXT, file.gzip, file.sha256, file.events)
    return RawGraph(contents.nodes, contents.functions, source, contents.train_ops), file.data


def _read(data: bytes, form: Form) -> Contents:
    """The contents by form; protobuf is imported only where it is needed."""
    if form is Form.TEXT:
        from pardnn.readers.text import read_text

        return read_text(data, len(BOM) if data.startswith(BOM) else 0)
    from pardnn.readers.binary import read_binary

    return read_binary(data)


def _check(node: RawNode, index: int, path: str | Path) -> None:
    """A node needs a name and an op; a file where one has none is usually another message, which happens to parse."""
    if not node.name:
        raise InputError(f"{path}: node number {index} has no name: is it a TensorFlow graph?")
    if not node.op:
        raise InputError(f"{path}: node '{node.name[:80]}' has no op: is it a TensorFlow graph?")
