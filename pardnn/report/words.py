"""Words for figures and names, as every table and sentence writes them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from pardnn.units import format_time

_FULL, _EMPTY = "█", "░"
_ASCII = str.maketrans({_FULL: "#", _EMPTY: ".", "µ": "u"})
_BAR = 10
_WORD = 300


def safe(text: str) -> str:
    r"""A name from outside, printable: control characters, line ends and the like are escaped.

    >>> safe("a\nb\x1b[31m")
    'a\\nb\\x1b[31m'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def told(text: str) -> str:
    """A line from outside for the terminal: printable, and words that no screen holds without their middle.

    >>> told("op " + "x" * 1000)[:24], len(told("x" * 1000))
    ('op xxxxxxxxxxxxxxxxxxxxx', 300)
    """
    return re.sub(
        rf"\S{{{_WORD + 1},}}", lambda word: f"{word[0][: _WORD // 2 - 2]}...{word[0][1 - _WORD // 2 :]}", safe(text)
    )


def bar(share: float) -> str:
    """A share of 1 as a small bar.

    >>> bar(0.5)
    '█████░░░░░'
    """
    full = round(_BAR * min(1.0, max(0.0, share)))
    return _FULL * full + _EMPTY * (_BAR - full)


def count(number: int, noun: str) -> str:
    """A number with its noun.

    >>> count(1, "op"), count(2000, "op")
    ('1 op', '2,000 ops')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(ratio: float) -> str:
    """A ratio to read; small ones with a digit more.

    >>> percent(0.034), percent(0.5)
    ('3.4 %', '50 %')
    """
    return f"{100 * ratio:.{1 if abs(ratio) < 0.0995 else 0}f} %"


def measured_share(percents: Mapping[str, float]) -> str:
    """How much of the ops' number and time was measured; "" where all is or nothing.

    >>> measured_share({"ops": 97.5, "time": 99.96}), measured_share({"ops": 100.0, "time": 100.0})
    (' (97.5 % of the ops, 99.9 % of the time)', '')
    """
    ops, time = (f"{math.floor(10 * percents[what]) / 10:g} % of the {what}" for what in ("ops", "time"))
    return f" ({ops}, {time})" if 0 < percents["ops"] < 100 else ""


def shorten(text: str, length: int) -> str:
    """The text cut to a length, its end kept: in op names that is the part that tells them apart.

    >>> shorten("tower_0/layer_1/MatMul", 15)
    '...yer_1/MatMul'
    """
    return text if len(text) <= length else f"...{text[-(length - 3) :]}"


def ascii_only(text: str) -> str:
    """The text with the signs of drawing in ASCII, for a terminal that has no others."""
    return text.translate(_ASCII)


def spoken(seconds: float) -> str:
    """A time to wait.

    >>> spoken(61), spoken(1500), spoken(20000)
    ('61 s', '25 min', '5.6 h')
    """
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


def us(microseconds: float) -> str:
    """A time in microseconds, to read."""
    return format_time(round(microseconds * 1000))


def short(device: str) -> str:
    """A device's name without what all of them share.

    >>> short("/device:GPU:0")
    'GPU:0'
    """
    return device.removeprefix("/device:")
