"""Columns of numbers and names as text that a page can carry and its script can read in a moment."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping
from os.path import commonprefix
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pardnn.report.html.markup import shown

_TYPES = ("u1", "u2", "u4")
_ALIGN = 8
_LONGEST_PREFIX = 255


def pack(values: Mapping[str, Any], columns: Mapping[str, ArrayLike | bytes]) -> str:
    """Base64 of deflated bytes: the length of a header as uint32, the header as JSON, then the columns.

    The header has `values` and, per column, name, type (u1, u2, u4: unsigned; f8; s: UTF-8), offset after the header
    and bytes. Numbers are stored as planes, all first bytes, all second ones, ..., little-endian, which packs better.
    Base64 holds nothing that a page could take for markup.
    """
    entries: list[tuple[str, str, int, int]] = []
    body = bytearray()
    for name, column in columns.items():
        kind, data = ("s", column) if isinstance(column, bytes) else _numbers(column)
        entries.append((name, kind, len(body), len(data)))
        body += data
        body += bytes(-len(body) % _ALIGN)
    head = json.dumps({"values": values, "columns": entries}, sort_keys=True, allow_nan=False).encode()
    head += b" " * (-(4 + len(head)) % _ALIGN)
    return base64.b64encode(zlib.compress(len(head).to_bytes(4, "little") + head + bytes(body), 9)).decode()


def names(texts: Iterable[str]) -> dict[str, ArrayLike | bytes]:
    """The columns `prefix` and `suffix` of names as the report shows them: each begins as the one before it does."""
    prefix, suffix, before = [], [], ""
    for text in texts:
        text = shown(text)
        # Only of ASCII: a script counts in UTF-16, which for other signs may differ from code points.
        alike = text[:1] == before[:1] and text.isascii() and before.isascii()
        common = min(len(commonprefix((before, text))), _LONGEST_PREFIX) if alike else 0  # noqa: RUF071 - signs are wanted
        prefix.append(common)
        suffix.append(text[common:])
        before = text
    return {"prefix": prefix, "suffix": "\n".join(suffix).encode()}


def codes(texts: Iterable[str]) -> tuple[list[str], NDArray[np.int64]]:
    """The distinct texts in order of first appearance, and [n] which of them each is."""
    number: dict[str, int] = {}
    code = np.array([number.setdefault(text, len(number)) for text in texts], np.int64)
    return list(number), code


def _numbers(column: ArrayLike) -> tuple[str, bytes]:
    array = np.asarray(column)
    if not array.size:
        return "u1", b""
    least, most = array.min(), array.max()
    whole = array.dtype.kind in "iub" and least >= 0
    kind = next((t for t in _TYPES if whole and most < 256 ** int(t[1])), "f8")
    raw = array.astype(f"<{kind}").view(np.uint8).reshape(len(array), -1)
    return kind, raw.T.tobytes()
