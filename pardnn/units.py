"""Sizes, rates and times: from what people write to exact integers, and back to what people read.

The only place where a unit has a name. Inside, sizes are bytes, rates bytes per second and times nanoseconds, all int.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from pardnn.errors import InputError

_DECIMAL: Final = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}
_BINARY: Final = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}
_PREFIXES: Final = _DECIMAL | {"K": 10**3} | _BINARY

_SIZES: Final[Mapping[str, Fraction]] = {
    **{prefix: Fraction(factor) for prefix, factor in _PREFIXES.items()},
    **{f"{prefix}B": Fraction(factor) for prefix, factor in _PREFIXES.items()},
}
_RATES: Final[Mapping[str, Fraction]] = {
    "": Fraction(1),
    **{f"{prefix}B/s": Fraction(factor) for prefix, factor in _PREFIXES.items()},
    **{f"{prefix}bit/s": Fraction(factor, 8) for prefix, factor in _PREFIXES.items()},
}
_TIMES: Final[Mapping[str, Fraction]] = {
    "ns": Fraction(1),
    "us": Fraction(10**3),
    "µs": Fraction(10**3),
    "ms": Fraction(10**6),
    "s": Fraction(10**9),
    "min": Fraction(60 * 10**9),
}

_QUANTITY: Final = re.compile(r"\s*(?P<number>[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]{1,3})?|\.[0-9]+)\s*(?P<unit>\S*)\s*")
_LARGEST: Final = 2**63 - 1


def parse_size(text: str) -> int:
    """Bytes, rounded up: "16GB" = 16e9, "16GiB" = 2**34, "16G" = 16GB, a bare number is bytes.

    Raises InputError for anything else; bits ("16Gb") are refused rather than guessed at.

    >>> parse_size("16GB"), parse_size("1.5 GiB"), parse_size("512")
    (16000000000, 1610612736, 512)
    """
    return _parse(text, _SIZES, what="size", example="16GB, 16GiB or a number of bytes")


def parse_rate(text: str) -> int:
    """Bytes per second, rounded up: "12GB/s", "100Gbit/s"; a bare number is bytes per second.

    >>> parse_rate("12GB/s"), parse_rate("25Gbit/s")
    (12000000000, 3125000000)
    """
    return _parse(text, _RATES, what="rate", example="12GB/s or 100Gbit/s")


def parse_time(text: str) -> int:
    """Nanoseconds, rounded up: "10us", "1.5ms", "30s". A time without a unit is refused.

    >>> parse_time("10us"), parse_time("0.5 s")
    (10000, 500000000)
    """
    return _parse(text, _TIMES, what="time", example="10us, 1.5ms or 30s")


def _parse(text: str, units: Mapping[str, Fraction], what: str, example: str) -> int:
    match = _QUANTITY.fullmatch(text)
    if match is None:
        raise InputError(f"not a {what}: {text!r}; write for example {example}")
    unit = match["unit"]
    if unit not in units:
        raise InputError(f"not a {what}: {text!r}: {_advice(unit, units)}; write for example {example}")
    exact = Fraction(match["number"]) * units[unit]
    value = -(-exact.numerator // exact.denominator)
    if value > _LARGEST:
        raise InputError(f"{what} out of range: {text!r} is more than {_LARGEST}")
    return value


def _advice(unit: str, units: Mapping[str, Fraction]) -> str:
    """What is wrong with a unit that is none of ours."""
    if not unit:
        return "the unit is missing"
    if unit.endswith(("b", "b/s", "bps", "bit")):
        return f"{unit!r} could mean bits or bytes: B is bytes" + (", bit/s is bits" if "bit/s" in units else "")
    return f"unknown unit {unit!r}"


def format_size(nbytes: int) -> str:
    """A size to read, three digits: "17.2 GiB".

    >>> format_size(2**34), format_size(1500), format_size(12)
    ('16.0 GiB', '1.46 KiB', '12 B')
    """
    return _scaled(nbytes, [("B", 1), *((f"{prefix}B", factor) for prefix, factor in _BINARY.items())])


def format_rate(bytes_per_s: int) -> str:
    """A rate to read: "12.0 GB/s"."""
    return _scaled(bytes_per_s, [(f"{prefix}B/s", factor) for prefix, factor in _DECIMAL.items()])


def format_time(ns: int) -> str:
    """A time to read: "3.20 ms"; from a second on in seconds.

    >>> format_time(3_200_000), format_time(999_999), format_time(0)
    ('3.20 ms', '1.00 ms', '0 ns')
    """
    return _scaled(ns, [("ns", 1), ("us", 10**3), ("ms", 10**6), ("s", 10**9)])


def _scaled(value: int, units: list[tuple[str, int]]) -> str:
    """Three significant digits in the largest unit that leaves at least 1; rounding up to 1000 takes the next unit."""
    sign = "-" if value < 0 else ""
    magnitude = abs(value)
    name, factor = next((unit for unit in reversed(units) if magnitude * 2000 >= unit[1] * 1999), units[0])
    if factor == 1:
        return f"{sign}{magnitude} {name}"
    number = magnitude / factor
    digits = 2 if number < 9.995 else 1 if number < 99.95 else 0
    return f"{sign}{number:.{digits}f} {name}"


def ceil_size(nbytes: int) -> str:
    """A size to type, three digits or so, that is at least `nbytes` ("--mem 17.3GB works").

    >>> ceil_size(17_210_000_001), ceil_size(16 * 10**9), ceil_size(1_201_000_000), ceil_size(900)
    ('17.3GB', '16GB', '1.21GB', '900')
    """
    return _typed(nbytes, 1)


def floor_size(nbytes: int) -> str:
    """A size to type, three digits or so, that is not more than `nbytes`.

    >>> floor_size(17_299_999_999), floor_size(1_099_999_999), floor_size(900)
    ('17.2GB', '1.09GB', '900')
    """
    return _typed(nbytes, 0)


def _typed(nbytes: int, up: int) -> str:
    """A size to type in the largest unit that leaves at least 1; up = 1 rounds up, 0 down."""
    for prefix in ("T", "G", "M", "k"):
        factor = _DECIMAL[prefix]
        if nbytes >= factor:
            digits = 2 if nbytes < 10 * factor else 1
            whole, part = divmod((nbytes * 10**digits + up * (factor - 1)) // factor, 10**digits)
            return f"{whole}.{part:0{digits}d}".rstrip("0").rstrip(".") + f"{prefix}B"
    return str(nbytes)
