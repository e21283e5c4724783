"""The bytes of a graph file, unpacked, and what they are; by their content, for names of files lie."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import zlib
from difflib import get_close_matches
from enum import Enum
from os.path import exists, isdir
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pardnn.errors import InputError
from pardnn.readers.events import graph_in_events, is_events
from pardnn.units import format_size


class Form(Enum):
    """How the data of a file is written."""

    TEXT = "protobuf text"
    BINARY = "protobuf binary"
    JSON = "cost graph"


class File(NamedTuple):
    """A file's data (unpacked where it was a gzip; of events the graph alone), and the sha256 of the bytes on disk."""

    data: bytes
    gzip: bool
    sha256: str
    events: bool = False


LARGEST_MESSAGE = 2**31 - 1
LARGEST_UNPACKED, LARGEST_RATIO = 2**31, 64
"""A gzip that holds more bytes than this and more than so many times its own is a bomb, no graph."""
_PART = 2**24
_SAMPLE = 65536
BOM = b"\xef\xbb\xbf"
_GZIP = b"\x1f\x8b"
_LFS = b"version https://git-lfs.github.com/spec/"
_FOREIGN = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"%PDF-": "a PDF document",
    b"PK\x03\x04": "a zip archive (of a Keras model? then `pardnn extract` makes a graph of it)",
    b"\x89HDF\r\n": "an HDF5 file (of a Keras model? then `pardnn extract` makes a graph of it)",
    b"\x7fELF": "a program",
    b"BZh": "a bzip2 archive: unpack it first",
    b"\xfd7zXZ": "an xz archive: unpack it first",
    b"\x28\xb5\x2f\xfd": "a zstd archive: unpack it first",
    b"\xff\xfe": "UTF-16 text: save it as UTF-8",
    b"\xfe\xff": "UTF-16 text: save it as UTF-8",
    b"<!DOCTYPE": "a web page: was it downloaded from the wrong address?",
    b"<html": "a web page: was it downloaded from the wrong address?",
}
# No binary graph begins like this: its second or third byte would be the tag of a field no graph has.
_TEXT = re.compile(rb"\s*+(?:\#[^\n]*+\s*+)*+[A-Za-z_]\w++\s*+[:{<\[]")
_JSON = re.compile(rb"\s*+\{")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")


def load(path: str | Path) -> File:
    """A file's data, of an events file the graph in it.

    Raises InputError: no such file, a directory, a damaged gzip, a Git LFS pointer, events without a graph.
    """
    try:
        with Path(path).open("rb") as file:
            _refuse_huge(_head(file), os.fstat(file.fileno()).st_size, path)
            raw = file.read()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}{_near(path)}") from None
    except ValueError:  # a NUL in the name
        raise InputError(f"{str(path)!a}: is no name of a file") from None
    packed = raw.startswith(_GZIP)
    data = _unpacked(raw, path) if packed else raw
    if packed:
        _refuse_huge(data[:_SAMPLE], len(data), path)
    if data.startswith(_LFS):
        raise InputError(f"{path}: is a Git LFS pointer, not the graph itself: run `git lfs pull`")
    graph = graph_in_events(data, path)
    return File(data if graph is None else graph, packed, hashlib.sha256(raw).hexdigest(), graph is not None)


def _near(path: str | Path) -> str:
    """Where there is no such file, one of much the same name beside it."""
    folder = Path(path).parent
    if exists(path) or not isdir(folder):
        return ""
    close = get_close_matches(Path(path).name, sorted(os.listdir(folder)), 1, 0.8)
    return f"; did you mean {folder / close[0]}?" if close else ""


def _unpacked(raw: bytes, path: str | Path) -> bytes:
    """What a gzip holds. Raises InputError where it is damaged, and before it fills the memory."""
    most = max(LARGEST_UNPACKED, LARGEST_RATIO * len(raw))
    parts, size = [], 0
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(raw)) as file:
            while part := file.read(_PART):
                parts.append(part)
                size += len(part)
                if size > most:
                    raise InputError(
                        f"{path}: its {format_size(len(raw))} unpack to more than {format_size(most)}, as no graph "
                        "does: if it is one, unpack it first"
                    )
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: the gzip is damaged or cut off ({error}): fetch the file again") from None
    return b"".join(parts)


def _head(file: BinaryIO) -> bytes:
    """The first bytes of a file that is larger than a message may be; nothing of any other."""
    if os.fstat(file.fileno()).st_size <= LARGEST_MESSAGE or not isinstance(file, io.BufferedReader):
        return b""
    head = file.peek(_SAMPLE)
    return b"" if head.startswith((_GZIP, _LFS)) or is_events(head) else head


def _refuse_huge(head: bytes, size: int, path: str | Path) -> None:
    """Raise InputError for a binary graph that is larger than protobuf, and so TensorFlow, can take."""
    if size > LARGEST_MESSAGE and head and sniff(head, path) is Form.BINARY:
        raise InputError(
            f"{path}: has {size / 2**30:.2f} GiB, and TensorFlow reads no message of 2 GiB or more: save the "
            "graph without its weights (as variables, in a checkpoint, not as constants)"
        )


def sniff(data: bytes, path: str | Path) -> Form:
    """How the data is written; no bytes are an empty binary graph. Raises InputError for what is surely no graph."""
    for magic, what in _FOREIGN.items():
        if data.startswith(magic):
            raise InputError(f"{path}: is {what}; a graph (GraphDef, MetaGraphDef, SavedModel or cost graph) is needed")
    start = len(BOM) if data.startswith(BOM) else 0
    if _TEXT.match(data, start):
        return Form.TEXT
    sample = data[start : start + _SAMPLE]
    if _CONTROL.search(sample) or not _is_utf8(sample) or not data:
        return Form.BINARY
    return Form.JSON if _JSON.match(sample) else Form.TEXT


def _is_utf8(sample: bytes) -> bool:
    """Whether bytes, perhaps cut within a character, are text."""
    try:
        sample.decode()
    except UnicodeDecodeError as error:
        return error.start > len(sample) - 4
    return True
