"""Devices written back into the graph file they were decided for."""

from __future__ import annotations

import gzip
from collections.abc import Mapping, Sequence

from pardnn.errors import InputError
from pardnn.graph.raw import Source
from pardnn.placers.text_devices import write_text_devices
from pardnn.placers.wire_devices import write_wire_devices

_LARGEST_MESSAGE = 2**31 - 1


def write_devices(
    data: bytes,
    source: Source,
    device_of: Mapping[str, str],
    bodies: Mapping[str, Mapping[str, str]] | None = None,
    control_edges: Sequence[tuple[str, str]] = (),
) -> bytes:
    """The same file with each node on its device: text stays text, binary binary, only `device` fields differ.

    And, of the second op of each of the control edges, the inputs: `^first` is added behind them.

    `data` is the file's content, unpacked, and `source` says what it is, both as the reader gave them. A node that
    `device_of` does not name gets an empty device, that is, no device field. So do the nodes inside library functions,
    which then run where their caller runs, but for those that `bodies` names: function -> node -> device. A node whose
    device is right already is not touched. Of a SavedModel the first graph is placed. Raises InputError where the file
    cannot be rewritten.
    """
    write = write_text_devices if source.text else write_wire_devices
    try:
        waits: dict[str, list[str]] = {}
        for first, then in control_edges:
            waits.setdefault(then, []).append(f"^{first}")
        placed = write(data, source.kind, device_of, bodies or {}, waits)
        if not source.text and len(placed) > _LARGEST_MESSAGE:
            raise ValueError("it would then have 2 GiB or more, which TensorFlow does not read; write the plan only")
        return placed
    except ValueError as error:  # the reader understood it: only a form that is read and cannot be rewritten comes here
        raise InputError(f"{source.path}: devices cannot be written into it: {error}") from None


def pack(data: bytes, source: Source) -> bytes:
    """The bytes for the disk: a gzip where the input was one, without a time, so equal contents have equal bytes."""
    return gzip.compress(data, compresslevel=6, mtime=0) if source.gzip else data
