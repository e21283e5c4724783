"""Damage to files: bytes flipped, cut, repeated and moved; numbers out of range; names and values exchanged."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Any

from pardnn.readers import schema

_LARGEST = 1 << 20  # bytes of a damaged file
_NUMBERS = (
    "-1", "0", "1", "2147483647", "2147483648", "-2147483649", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "18446744073709551615", "4611686018427387904", "1e308", "1e999", "-0.0", "nan", "inf",
    "0x7fffffffffffffff", "1" + "0" * 5000,
)  # fmt: skip
_VARINTS = tuple(
    bytes.fromhex(text)
    for text in (
        "00",
        "7f",
        "ffffffff0f",
        "ffffffffffffffff7f",
        "ffffffffffffffffff01",
        "80808080808080808001",
        "ff" * 11,
    )
)
_VALUES: tuple[Any, ...] = (
    None, True, "", "x", -1, 0, 2**31, 2**62, 2**63, 2**64, 10**400, 0.5, -0.5, 1e300, [], {}, [[]], {"a": 1}, "\ud800",
    "/device:GPU:7", "/job:ps/task:0", "pardnn-placement/1", float("nan"), float("inf"),
)  # fmt: skip
_NUMBER = re.compile(rb"(?<![\w\"])-?\d+")
_STRING = re.compile(rb'"[^"\n]*"')
_WORD = re.compile(rb"[A-Za-z_]\w*")

Damage = Callable[[bytes, random.Random], bytes]


def flip(data: bytes, rng: random.Random) -> bytes:
    """Bits of some bytes turned."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        found[rng.randrange(len(found))] ^= 1 << rng.randrange(8)
    return bytes(found)


def cut(data: bytes, rng: random.Random) -> bytes:
    """The end gone, or a piece of the middle."""
    a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return data[:a] if rng.random() < 0.5 else data[:a] + data[b:]


def repeat(data: bytes, rng: random.Random) -> bytes:
    """A piece, often whole lines, again and again."""
    a = rng.randrange(len(data))
    b = min(len(data), a + rng.choice((1, 10, 100, 1000)))
    if rng.random() < 0.5:
        a, b = data.rfind(b"\n", 0, a) + 1, (data.find(b"\n", b) + 1) or len(data)
    times = min(rng.choice((1, 2, 50, 5000)), _LARGEST // max(b - a, 1))
    return data[:b] + data[a:b] * times + data[b:]


def move(data: bytes, rng: random.Random) -> bytes:
    """A piece copied to another place."""
    a, b = sorted(rng.randrange(len(data)) for _ in range(2))
    to = rng.randrange(len(data))
    return data[:to] + data[a : min(b, a + 200)] + data[to:]


def number(data: bytes, rng: random.Random) -> bytes:
    """A number of a text, or some bytes of a binary file, beyond what is sane."""
    found = list(_NUMBER.finditer(data))
    if found and rng.random() < 0.8:
        at = rng.choice(found)
        return data[: at.start()] + rng.choice(_NUMBERS).encode() + data[at.end() :]
    at_byte = rng.randrange(len(data))
    return data[:at_byte] + rng.choice(_VARINTS) + data[at_byte + rng.choice((0, 1, 1, 4)) :]


def exchange(data: bytes, rng: random.Random) -> bytes:
    """Strings, or other words, of a text in each other's place: cycles, lost inputs, doubled names, wrong types."""
    pattern = _STRING if rng.random() < 0.7 else _WORD
    for _ in range(rng.choice((1, 1, 3))):
        words = list(pattern.finditer(data))
        if len(words) < 2:
            return flip(data, rng)
        to, of = rng.choice(words), rng.choice(words)
        data = data[: to.start()] + of.group() + data[to.end() :]
    return data


def rewire(data: bytes, rng: random.Random) -> bytes:
    """A binary graph with names, inputs, ops and attributes in each other's place; a text is exchanged."""
    from google.protobuf.message import DecodeError

    graph = schema.message("GraphDef")()
    try:
        graph.MergeFromString(data)
    except DecodeError:
        return exchange(data, rng)
    nodes = list(graph.node)
    if not nodes:
        return exchange(data, rng)
    for _ in range(rng.choice((1, 2, 5))):
        node, other = rng.choice(nodes), rng.choice(nodes)
        action = rng.randrange(6)
        if action == 0:
            node.name = other.name
        elif action == 1:
            node.op = other.op
        elif action == 2:
            node.input.append(
                rng.choice(("^", "", "", "")) + other.name + rng.choice(("", ":1", ":99", ":99999999999"))
            )
        elif action == 3 and node.input:
            node.input[rng.randrange(len(node.input))] = other.name
        elif action == 4 and node.attr:
            attr = rng.choice(node.attr)
            attr.value = number(attr.value, rng) if attr.value else rng.choice(_VARINTS)
        elif other.attr:
            node.attr.add(key=rng.choice(other.attr).key, value=rng.choice(other.attr).value)
    return graph.SerializeToString()  # type: ignore[no-any-return]


def deepen(data: bytes, rng: random.Random) -> bytes:
    """Messages, lists or objects within each other, thousands deep."""
    depth, at = rng.choice((10, 200, 100_000)), rng.randrange(len(data) + 1)
    left, right = rng.choice(((b"a {", b"}"), (b"a: [", b"]"), (b"[", b"]"), (b'{"a":', b"}"), (b"\x0a\x7f", b"")))
    return data[:at] + left * depth + right * rng.choice((0, depth)) + data[at:]


_DAMAGES: tuple[Damage, ...] = (
    flip, flip, cut, repeat, move, number, number, number, exchange, exchange, exchange, rewire, rewire, rewire, deepen,
)  # fmt: skip


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The file after one to three damages."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        data = rng.choice(_DAMAGES)(data, rng)[:_LARGEST] if data else data
    return data


def damaged_json(data: bytes, rng: random.Random) -> bytes:
    """A JSON file with members that are wrong, or damaged as any other file."""
    if rng.random() < 0.3:
        return damaged(data, rng)
    content = json.loads(data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        _spoil(content, rng)
    return json.dumps(content).encode("utf-8", "surrogatepass")


def _spoil(content: Any, rng: random.Random) -> None:
    """Replace, drop or double a member somewhere below."""
    while True:
        keys = list(content) if isinstance(content, dict) else list(range(len(content)))
        if not keys:
            return
        key = rng.choice(keys)
        below = content[key]
        if not isinstance(below, dict | list) or rng.random() < 0.3:
            break
        content = below
    action = rng.random()
    if action < 0.6:
        content[key] = rng.choice(_VALUES)
    elif action < 0.8:
        del content[key]
    elif isinstance(content, dict):
        content[rng.choice(keys)] = below
    else:
        content.insert(key, below)
