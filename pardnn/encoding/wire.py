"""Protobuf's binary format as fields with their places in the data, without a schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pardnn.encoding import Malformed

VARINT, FIXED64, BYTES, _GROUP, _GROUP_END, FIXED32 = range(6)


class Field(NamedTuple):
    """One field: data[start:end], of which the value, for BYTES without its length, begins at `value`."""

    number: int
    kind: int
    start: int
    value: int
    end: int


def fields(data: bytes, start: int = 0, end: int | None = None) -> Iterator[Field]:
    """The fields of the message at data[start:end], in order; O(fields), values are not looked at. Raises Malformed."""
    end = len(data) if end is None else end
    while start < end:
        tag, value = varint(data, start, end)
        number, kind = tag >> 3, tag & 7
        if not 0 < number < 1 << 29:
            raise Malformed(start, f"there is no field number {number}")
        if kind == BYTES:
            length, value = varint(data, value, end)
            after = value + length
        elif kind == VARINT:
            _, after = varint(data, value, end)
        elif kind == _GROUP:
            after = _group_end(data, value, end)
        elif kind in (FIXED64, FIXED32):
            after = value + (8 if kind == FIXED64 else 4)
        else:
            raise Malformed(start, f"there is no wire type {kind}")
        if after > end:
            raise Malformed(start, f"field {number} ends {after - end} bytes after its message: is the file cut off?")
        yield Field(number, kind, start, value, after)
        start = after


def varint(data: bytes, start: int, end: int) -> tuple[int, int]:
    """The number at `start` and where it ends."""
    value = shift = 0
    for pos in range(start, min(end, start + 10)):
        byte = data[pos]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, pos + 1
        shift += 7
    raise Malformed(start, "a number is cut off" if end - start < 10 else "a number has more than 10 bytes")


def encoded_varint(value: int) -> bytes:
    r"""The shortest bytes of a number.

    >>> encoded_varint(300)
    b'\xac\x02'
    """
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def encoded_field(number: int, value: bytes) -> bytes:
    r"""A text or a message as the field of that number, which is below 16.

    >>> encoded_field(2, b"ab")
    b'\x12\x02ab'
    """
    return bytes((number << 3 | BYTES,)) + encoded_varint(len(value)) + value


def _group_end(data: bytes, start: int, end: int) -> int:
    """Where a group (a form older than protobuf 3) ends, with its end tag; nested ones are counted, not entered."""
    depth = 1
    pos = start
    while depth:
        tag, value = varint(data, pos, end)
        kind = tag & 7
        if kind == _GROUP:
            depth, pos = depth + 1, value
        elif kind == _GROUP_END:
            depth, pos = depth - 1, value
        elif kind == VARINT:
            _, pos = varint(data, value, end)
        elif kind == BYTES:
            length, value = varint(data, value, end)
            pos = value + length
        else:
            pos = value + (8 if kind == FIXED64 else 4)
        if pos > end:
            raise Malformed(start, "a group is cut off")
    return pos
