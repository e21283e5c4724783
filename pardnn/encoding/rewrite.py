"""Protobuf's binary format rewritten: some fields changed, every other byte as it was."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pardnn.encoding import wire
from pardnn.encoding.wire import Field, encoded_varint, varint

Pieces = list[bytes | memoryview]
"""What a value becomes, in pieces that are joined once, so that large parts are copied once however deep they stand."""
Change = Callable[[bytes, Field], Pieces | None]
"""The new value of a field; None where it stays as it is."""


def rewritten(data: bytes, change: Change) -> bytes:
    """The message under a change, the very same object where nothing changes. O(bytes). Raises Malformed."""
    pieces = change(data, Field(0, wire.BYTES, 0, 0, len(data)))
    return data if pieces is None else b"".join(pieces)


def inside(changes: Mapping[int, Change], at_least: int = 0) -> Change:
    """The change of a message that applies `changes` to its fields by number, those of fewer bytes left out."""

    def change(data: bytes, message: Field) -> Pieces | None:
        whole = memoryview(data)
        pieces: Pieces = []
        kept = message.value  # what stands before is among the pieces
        for field in wire.fields(data, message.value, message.end):
            if field.kind == wire.BYTES and field.number in changes and field.end - field.value >= at_least:
                value = changes[field.number](data, field)
                if value is not None:
                    _, tag_end = varint(data, field.start, field.end)
                    pieces += [whole[kept:tag_end], encoded_varint(sum(map(len, value))), *value]
                    kept = field.end
        return [*pieces, whole[kept : message.end]] if pieces else None

    return change


def first(change: Change) -> Change:
    """A change that applies to the first message it is asked about."""
    seen = []

    def once(data: bytes, message: Field) -> Pieces | None:
        seen.append(message)
        return change(data, message) if len(seen) == 1 else None

    return once
