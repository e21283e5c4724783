"""The values of the text format: strings, numbers, names; and a string written.

Every function takes a value as `text` hands it out and raises ValueError with a reason.
"""

from __future__ import annotations

import re
import struct

_LITERAL = re.compile(rb"""\s*+(?:\#[^\n]*+|"((?:[^"\\]|\\.)*+)"|'((?:[^'\\]|\\.)*+)')""", re.DOTALL)
_ESCAPE = re.compile(
    rb"\\(?:([0-7]{1,3})|[xX]([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([abfnrtv\\'\"?]))|\\(.?)",
    re.DOTALL,
)
_SIMPLE = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_ATOMS = re.compile(rb"(?:\w+\s*:\s*)?((?:-\s*)?[\w.][-+\w.]*)")
_COMMENT = re.compile(rb"#[^\n]*")
_INTEGER = re.compile(rb"(-?)\s*(?:0[xX]([0-9A-Fa-f]+)|0([0-7]+)|(0|[1-9]\d*))")


def unquote(raw: bytes) -> bytes:
    r"""The bytes a string stands for; strings side by side are one.

    >>> unquote(b'"loc:@a"'), unquote(rb"'\346\250\241' '\x21\n'")
    (b'loc:@a', b'\xe6\xa8\xa1!\n')
    """
    if raw[:1] not in (b'"', b"'"):
        raise ValueError(f"a string is expected, not {_shown(raw)}")
    if b"\\" not in raw and raw.count(raw[:1]) == 2 and raw[-1:] == raw[:1]:
        return raw[1:-1]
    parts = (found[1] if found[1] is not None else found[2] for found in _LITERAL.finditer(raw))
    return b"".join(_ESCAPE.sub(_unescape, part) for part in parts if part is not None)


def _unescape(found: re.Match[bytes]) -> bytes:
    """The bytes of one escape."""
    octal, hexa, short, long, simple, wrong = found.groups()
    if octal is not None:
        return bytes((int(octal, 8) & 0xFF,))
    if hexa is not None:
        return bytes((int(hexa, 16),))
    if simple is not None:
        return _SIMPLE.get(simple, simple)
    if short is None and long is None:
        raise ValueError(f"a string holds an escape that is none, before {_shown(wrong)}")
    point = int(short or long, 16)
    if point > 0x10FFFF or 0xD800 <= point < 0xE000:
        raise ValueError(f"a string holds {found[0].decode()}, which is no character")
    return chr(point).encode()


def atoms(raw: bytes) -> list[bytes]:
    """The single values of a run (`1 i: 2 i: 3`) or a list (`[1, 2, 3]`); of a single value, itself."""
    if b":" not in raw and raw[:1] != b"[":
        return [raw]
    return _ATOMS.findall(_COMMENT.sub(b"", raw))


def integer(raw: bytes) -> int:
    """An int64 (or a uint64) as written: decimal, 0x..., 0... (octal)."""
    if raw.isdigit() and raw[0] != 0x30 and len(raw) < 19:
        return int(raw)  # nearly all are like this
    found = _INTEGER.fullmatch(raw)
    if found is None or len(raw) > 100:
        raise ValueError(f"a whole number is expected, not {_shown(raw)}")
    sign, hexa, octal, decimal = found.groups()
    value = int(hexa, 16) if hexa else int(octal, 8) if octal else int(decimal)
    value = -value if sign else value
    if not -(2**63) <= value < 2**64:
        raise ValueError(f"{_shown(raw)} is more than 64 bits hold")
    return value


def real(raw: bytes) -> float:
    """A 32-bit float as written, also 1.0f, inf and nan."""
    text = raw.replace(b" ", b"").lower()
    number = text[:-1] if text[-1:] == b"f" and text[-3:] != b"inf" else text
    try:
        return single(float(number))
    except ValueError:
        raise ValueError(f"a number is expected, not {_shown(raw)}") from None


def single(value: float) -> float:
    """The nearest 32-bit float; beyond its range, infinity."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def boolean(raw: bytes) -> bool:
    """True or false in any of the spellings protobuf knows."""
    if raw in (b"true", b"True", b"t", b"1"):
        return True
    if raw in (b"false", b"False", b"f", b"0"):
        return False
    raise ValueError(f"true or false is expected, not {_shown(raw)}")


def quote(text: str) -> bytes:
    r"""A string as the text format writes it: quotes, backslashes and what is not printable ASCII are escaped.

    >>> quote("/device:GPU:0"), quote('a"é')
    (b'"/device:GPU:0"', b'"a\\"\\303\\251"')
    """
    return b'"' + b"".join(_QUOTED[byte] for byte in text.encode()) + b'"'


_QUOTED = [bytes((byte,)) if 32 <= byte < 127 else b"\\%03o" % byte for byte in range(256)]
_QUOTED[ord('"')], _QUOTED[ord("\\")] = b'\\"', b"\\\\"


def _shown(raw: bytes) -> str:
    """A value in a message, cut where it is long."""
    return ascii(raw[:30].decode("utf-8", "replace"))
