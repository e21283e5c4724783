"""Protobuf's text format as fields, without a schema and without reading what nobody asks for.

A value is the bytes as written: a scalar (decode it with `literals`), a run of numbers with the names between them
(`1 float_val: 2 float_val: 3`), or a simple message in its braces; a message that is not simple is the list of its
fields. `message` opens either. So nearly everything is stepped over, or taken apart, by one regular expression;
equal messages have equal bytes, which a reader can remember; and a large string is never looked into. What the
expressions do not know (lists, extensions, comments in odd places) goes through `_Scanner._odd`, which knows it all.

Tolerated beyond the format: any number of separators, and fields twice (it is the reader's choice which one counts).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple, TypeAlias

from pardnn.encoding import Malformed
from pardnn.encoding.patterns import (
    BETWEEN_FIELDS,
    CLOSING,
    HEAD,
    INSIDE_FIELD,
    OPEN,
    SCALAR,
    SCALARS,
    STEP,
    VALUE,
    WHOLE,
    WHOLES,
    end,
)  # fmt: skip

Value: TypeAlias = "bytes | Message"
Message: TypeAlias = "list[tuple[bytes, Value]]"
Path: TypeAlias = tuple[bytes, ...]

_CLOSER = {b"{": b"}", b"<": b">"}
_QUOTES = (b'"', b"'")


class Field(NamedTuple):
    """A field and its place: data[start:end] is all of it, name and braces too; `path` names the messages around it."""

    path: Path
    name: bytes
    value: Value
    start: int
    end: int


def scan(data: bytes, start: int = 0, stop: int | None = None, enter: Collection[bytes] = ()) -> Iterator[Field]:
    """The fields of the message whose inside is data[start:stop], in file order; O(bytes).

    Messages named in `enter`, at the top or inside one another, are not collected: their fields come one by one with
    the path to them, then the message itself, emptied. So a graph of any size is read node by node. Raises Malformed.
    """
    return _Scanner(data, len(data) if stop is None else stop, enter).run(start)


def message(value: Value) -> Message:
    """The names and values of a message's fields. Raises ValueError; a Malformed counts its offset from the value's."""
    if isinstance(value, list):
        return value
    if value[:1] != b"{":
        raise ValueError(f"a message in braces is expected, not {value[:30].decode('utf-8', 'replace')!a}")
    parts: Message = WHOLES.findall(value, 1, len(value) - 1)
    if (b"", b"") in parts:  # not that simple, or wrong
        return [(field.name, field.value) for field in scan(value, 1, len(value) - 1)]
    return parts


def check(data: bytes, start: int, stop: int) -> None:
    """Raises Malformed with the exact place if what stands in data[start:stop] breaks the syntax anywhere inside."""
    scanner = _Scanner(data, stop, ())
    scanner.whole = False
    for _ in scanner.run(start):
        pass


class _Scanner:
    """The open messages around the point that has been reached."""

    def __init__(self, data: bytes, stop: int, enter: Collection[bytes]) -> None:
        self.data = data
        self.stop = stop
        self.enter = enter
        self.whole = True  # take simple fields inside a message whole
        self.ready: list[Field] = []  # outside every message but entered ones: to be handed out
        self.fields: Message = []  # of the innermost open message
        self.listing = b""  # inside `name: [ ... ]`: that name
        self.stack: list[tuple[Message, bytes, int, bytes, bytes]] = []
        self.path: Path = ()  # the entered messages; the outermost len(path) of the stack

    def run(self, pos: int) -> Iterator[Field]:
        """Every field from `pos` on, as `scan` says."""
        data, stop, step = self.data, self.stop, STEP.match
        while pos >= 0:
            found = step(data, pos, stop)
            if found is None:
                pos = self._odd(pos)
            else:
                pos = found.end()
                kind = found.lastindex
                if kind == OPEN:
                    pos = self._open(found[1], found.start(1), pos)
                elif kind == VALUE:
                    self._add(found[1], found[2], found.start(1), pos)
                else:
                    pos = self._close(pos)
            if self.ready:
                yield from self.ready
                self.ready.clear()

    def _wholes(self, fields: Message, pos: int) -> int:
        """Take the simple fields that stand in a row inside a message; where the row ends."""
        if self.whole:
            data, stop, whole, add = self.data, self.stop, WHOLE.match, fields.append
            while found := whole(data, pos, stop):
                add(found.groups())  # type: ignore[arg-type] # both groups take part in a match
                pos = found.end()
        return pos

    def _add(self, name: bytes, value: Value, start: int, end: int) -> None:
        """A field is complete."""
        if len(self.stack) == len(self.path):
            self.ready.append(Field(self.path, name, value, start, end))
        else:
            self.fields.append((name, value))

    def _open(self, name: bytes, start: int, pos: int) -> int:
        """A message begins, its brace ends at `pos`; where to go on."""
        fields: Message = []
        brace = self.data[pos - 1 : pos]
        if len(self.stack) == len(self.path) and name in self.enter:
            self.path = (*self.path, name)
        else:
            pos = self._wholes(fields, pos)
            if brace == b"{" and (closing := CLOSING.match(self.data, pos, self.stop)):
                self._add(name, fields, start, closing.end())
                return closing.end()
        self.stack.append((self.fields, name, start, _CLOSER[brace], self.listing))
        self.fields, self.listing = fields, b""
        return pos

    def _close(self, pos: int) -> int:
        """A message ends, its brace ends at `pos`; where to go on."""
        brace = self.data[pos - 1 : pos]
        if not self.stack or self.stack[-1][3] != brace or self.listing:
            raise Malformed(pos - 1, f"'{brace.decode()}' closes nothing that is open")
        done = self.fields
        self.fields, name, start, _, self.listing = self.stack.pop()
        self.path = self.path[: len(self.stack)]
        self._add(name, done, start, pos)
        return self._wholes(self.fields, pos) if len(self.stack) > len(self.path) and not self.listing else pos

    def _odd(self, pos: int) -> int:
        """One step over what FIELD does not know; the new position, -1 at the end."""
        data = self.data
        pos = min(end(BETWEEN_FIELDS, data, pos), self.stop)
        if pos == self.stop:
            self._finish(pos)
            return -1
        if self.listing:
            if data[pos : pos + 1] != b"]":
                return self._value(self.listing, pos, pos)
            self.listing = b""
            return pos + 1
        head = HEAD.match(data, pos, self.stop)
        if head is None:
            raise Malformed(pos, f"a field name is expected, not {self._glimpse(pos)}")
        name, after = head[1], head.end()
        first = data[after : after + 1]
        if not head[2] and first not in (b"{", b"<", b"["):
            raise Malformed(pos, f"field '{name.decode()}' lacks a ':' and a value")
        if first != b"[":
            return self._value(name, pos, after)
        whole = SCALARS.match(data, after, self.stop)
        if whole is None:
            self.listing = name
            return after + 1
        self._add(name, whole[0], pos, whole.end())
        return whole.end()

    def _value(self, name: bytes, start: int, pos: int) -> int:
        """Take the value that begins at `pos`; where to go on."""
        data = self.data
        first = data[pos : pos + 1]
        if first in _CLOSER:
            return self._open(name, start, pos + 1)
        if first in _QUOTES:
            after = _strings_end(data, pos, self.stop)
        else:
            atom = SCALAR.match(data, pos, self.stop)
            if atom is None or self.listing:
                raise Malformed(pos, f"field '{name.decode()}' has no value but {self._glimpse(pos)}")
            after = atom.end()
        self._add(name, data[pos:after], start, after)
        return after

    def _finish(self, pos: int) -> None:
        """Nothing may be open at the end."""
        if self.listing:
            raise Malformed(pos, f"the list of field '{self.listing.decode()}' does not end: is the file cut off?")
        if self.stack:
            raise Malformed(pos, f"field '{self.stack[-1][1].decode()}' does not end: is the file cut off?")

    def _glimpse(self, pos: int) -> str:
        """A few characters of the file, for a message."""
        return ascii(self.data[pos : pos + 12].decode("utf-8", "replace")) if pos < self.stop else "the end of the file"


def _strings_end(data: bytes, pos: int, stop: int) -> int:
    """Where the string at `pos` ends, with the strings right after it, which continue it."""
    while True:
        after = _string_end(data, pos, stop)
        pos = end(INSIDE_FIELD, data, after)
        if pos >= stop or data[pos : pos + 1] not in _QUOTES:
            return after


def _string_end(data: bytes, pos: int, stop: int) -> int:
    """Just after the closing quote of the string that opens at `pos`; at the speed of a byte search."""
    quote = data[pos : pos + 1]
    closing = pos
    while True:
        begin, closing = closing, data.find(quote, closing + 1, stop)
        if closing < 0 or data.find(b"\n", begin, closing) >= 0:
            raise Malformed(pos, "a string does not end on its line")
        before = closing - 1
        while data[before] == 0x5C:  # an odd number of backslashes escapes the quote
            before -= 1
        if (closing - before) % 2:
            return closing + 1


def inside(data: bytes, field: Field) -> tuple[int, int]:
    """Where the inside of a message begins and ends. Raises ValueError where the field is none."""
    head = HEAD.match(data, field.start, field.end)  # an element of a list has no name of its own
    brace = head.end() if head else field.start
    if data[brace : brace + 1] not in _CLOSER:
        raise ValueError(f"field '{field.name.decode()}' is no message in braces")
    return brace + 1, field.end - 1
