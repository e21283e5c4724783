"""Protobuf's text format as fields with their places in the file, without a schema and without reading what nobody asks for.

A field is `(name, value, start, end)`: data[start:end] is the whole field, name and braces included. A value is a list of
fields (a message) or the bytes as written (a scalar; decode it with `literals`). Two things keep it fast where files are large:

* nearly every field is one match of one regular expression (FIELD); what that does not know (escapes, lists, extensions,
  comments in odd places) goes through `_odd`, which knows all of the format;
* a message whose name is in `opaque` is stepped over by one match (BLOCK) and its value is its bytes "{...}", for the caller
  to look up or to open with `message`. A string is never looked into, a run of numbers (`float_val: 1 float_val: 2 ...`) is
  one field.

Tolerated beyond the format: any number of separators, and fields twice (it is the reader's choice which one counts).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TypeAlias

from pardnn.encoding import Malformed

Field: TypeAlias = tuple[bytes, "bytes | list[Field]", int, int]
Message: TypeAlias = list[Field]
Path: TypeAlias = tuple[bytes, ...]

_SPACE = rb"[\s;,]*+(?:\#[^\n]*+[\s;,]*+)*+"  # between fields
_GAP = rb"\s*+(?:\#[^\n]*+\s*+)*+"  # inside a field
_ATOM = rb"(?:-\s*+)?[\w.][-+\w.]*+"
_FIELD = re.compile(
    _SPACE
    + rb"""(?:([A-Za-z_]\w*+)\s*+(?:
               :?\s*+([{<])                                      # a message opens
             | :\s*+(?:("[^"\\\n]*+")(?!\s*+["'\#])               # a string without escapes
                     |(ATOM(?:[\s;,]++\1\s*+:\s*+ATOM)*+)))       # a number or a name, or a run of them
           |([}>]))                                              # a message closes
        """.replace(b"ATOM", _ATOM),
    re.VERBOSE,
)
_OPEN, _CLOSE = 2, 5
_SKIP = re.compile(_SPACE)
_HEAD = re.compile(rb"([A-Za-z_]\w*+|\[[\w.\-/\s]++\])" + _GAP + rb"(:?)" + _GAP)
_ADJACENT = re.compile(_GAP)
_SCALAR = re.compile(_ATOM)
_SCALARS = re.compile(rb"\[" + _SPACE + rb"(?:" + _ATOM + _SPACE + rb")*+\]")
_CLOSER = {b"{": b"}", b"<": b">"}


def _block(depth: int) -> bytes:
    """A pattern for balanced braces up to `depth`, with plain strings; it refuses whatever else needs thought."""
    inside = rb"[^{}\"'\#<>\\\[]++|\"[^\"\\\n]*+\""
    pattern = rb"\{(?:" + inside + rb")*+\}"
    for _ in range(depth - 1):
        pattern = rb"\{(?:" + inside + rb"|" + pattern + rb")*+\}"
    return pattern


_BLOCK = re.compile(_block(6))  # attr { value { tensor { tensor_shape { dim {} } } } } needs five


def scan(
    data: bytes, *, enter: Collection[bytes] = (), opaque: Collection[bytes] = (), start: int = 0
) -> Iterator[tuple[Path, Field]]:
    """The fields of a text with the path of the messages they lie in, in file order; O(bytes).

    Messages named in `enter`, at the top or inside one another, are not collected: their fields come one by one with the path
    to them, then the message itself, emptied. So a graph of any size is read node by node. Raises Malformed.
    """
    return _Scanner(data, enter, opaque).run(start)


def message(block: bytes, opaque: Collection[bytes] = ()) -> Message:
    """The fields of an opaque value, offsets counted from its brace. Raises Malformed."""
    return [field for _, field in _Scanner(block[:-1], (), opaque).run(1)]


class _Scanner:
    """The open messages around the point that has been reached."""

    def __init__(self, data: bytes, enter: Collection[bytes], opaque: Collection[bytes]) -> None:
        self.data = data
        self.enter = enter
        self.opaque = opaque
        self.fields: Message = []  # of the innermost open message
        self.stack: list[tuple[Message, bytes, int, bytes, bytes]] = []
        self.listing = b""  # inside `name: [ ... ]`: that name
        self.path: Path = ()  # the entered messages; the outermost len(path) of the stack

    def run(self, pos: int) -> Iterator[tuple[Path, Field]]:
        """Every field from `pos` on, as `scan` says."""
        data, match, opaque, stack = self.data, _FIELD.match, self.opaque, self.stack
        while pos >= 0:
            found = match(data, pos)
            if found is None:
                pos = self._odd(pos)
            else:
                pos = found.end()
                kind = found.lastindex
                if kind == _OPEN:
                    name = found[1]
                    if name in opaque and (block := _BLOCK.match(data, pos - 1)):
                        pos = block.end()
                        self.fields.append((name, block[0], found.start(1), pos))
                    else:
                        self._open(name, found.start(1), pos)
                elif kind == _CLOSE:
                    self._close(pos)
                else:
                    assert kind is not None
                    self.fields.append((found[1], found[kind], found.start(1), pos))
            if self.fields and len(stack) == len(self.path):
                for field in self.fields:
                    yield self.path, field
                self.fields.clear()

    def _open(self, name: bytes, start: int, pos: int) -> None:
        """A message begins; its brace ends at `pos`."""
        if len(self.stack) == len(self.path) and name in self.enter:
            self.path = (*self.path, name)
        self.stack.append((self.fields, name, start, _CLOSER[self.data[pos - 1 : pos]], self.listing))
        self.fields, self.listing = [], b""

    def _close(self, pos: int) -> None:
        """A message ends; its brace ends at `pos`."""
        brace = self.data[pos - 1 : pos]
        if not self.stack or self.stack[-1][3] != brace or self.listing:
            raise Malformed(pos - 1, f"'{brace.decode()}' closes nothing that is open")
        done = self.fields
        self.fields, name, start, _, self.listing = self.stack.pop()
        self.path = self.path[: len(self.stack)]
        self.fields.append((name, done, start, pos))

    def _odd(self, pos: int) -> int:
        """One step over what FIELD does not know; the new position, -1 at the end of the data."""
        data = self.data
        pos = _end(_SKIP, data, pos)
        if pos == len(data):
            self._finish(pos)
            return -1
        if self.listing:
            if data[pos : pos + 1] != b"]":
                return self._value(self.listing, pos, pos)
            self.listing = b""
            return pos + 1
        head = _HEAD.match(data, pos)
        if head is None:
            raise Malformed(pos, f"a field name is expected, not {_glimpse(data, pos)}")
        after = head.end()
        if not head[2] and data[after : after + 1] not in (b"{", b"<", b"["):
            raise Malformed(pos, f"field '{head[1].decode()}' lacks a ':' and a value")
        if data[after : after + 1] == b"[":
            whole = _SCALARS.match(data, after)
            if whole is None:
                self.listing = head[1]
                return after + 1
            self.fields.append((head[1], whole[0], pos, whole.end()))
            return whole.end()
        return self._value(head[1], pos, after)

    def _value(self, name: bytes, start: int, pos: int) -> int:
        """Take the value that begins at `pos`; where it (or, for a message, its brace) ends."""
        data = self.data
        first = data[pos : pos + 1]
        if first in _CLOSER:
            self._open(name, start, pos + 1)
            return pos + 1
        if first in (b'"', b"'"):
            end = _strings_end(data, pos)
        else:
            atom = _SCALAR.match(data, pos)
            if atom is None or self.listing:
                raise Malformed(pos, f"field '{name.decode()}' has no value but {_glimpse(data, pos)}")
            end = atom.end()
        self.fields.append((name, data[pos:end], start, end))
        return end

    def _finish(self, pos: int) -> None:
        """Nothing may be open at the end of the data."""
        if self.listing:
            raise Malformed(pos, f"the file ends inside the list of field '{self.listing.decode()}': is it cut off?")
        if self.stack:
            raise Malformed(pos, f"the file ends inside field '{self.stack[-1][1].decode()}': is it cut off?")


def _strings_end(data: bytes, pos: int) -> int:
    """Where the string at `pos` ends, with the strings right after it, which continue it."""
    while True:
        end = _string_end(data, pos)
        pos = _end(_ADJACENT, data, end)
        if data[pos : pos + 1] not in (b'"', b"'"):
            return end


def _string_end(data: bytes, pos: int) -> int:
    """Just after the closing quote of the string that opens at `pos`; at the speed of a byte search."""
    quote = data[pos : pos + 1]
    end = pos
    while True:
        begin, end = end, data.find(quote, end + 1)
        if end < 0 or data.find(b"\n", begin, end) >= 0:
            raise Malformed(pos, "a string does not end on its line")
        before = end - 1
        while data[before] == 0x5C:  # an odd number of backslashes escapes the quote
            before -= 1
        if (end - before) % 2:
            return end + 1


def _end(pattern: re.Pattern[bytes], data: bytes, pos: int) -> int:
    """Where a pattern that can match nothing stops."""
    found = pattern.match(data, pos)
    assert found is not None
    return found.end()


def _glimpse(data: bytes, pos: int) -> str:
    """A few characters of the file, for a message."""
    return "the end of the file" if pos >= len(data) else ascii(data[pos : pos + 12].decode("utf-8", "replace"))
