"""Regular expressions over protobuf's text format, where its speed comes from.

All quantifiers are possessive: no input makes them go back, so each is linear.
"""

from __future__ import annotations

import re

SPACE = rb"[\s;,]*+(?:\#[^\n]*+[\s;,]*+)*+"  # between fields
GAP = rb"\s*+(?:\#[^\n]*+\s*+)*+"  # inside a field
NAME = rb"[A-Za-z_]\w*+"
STRING = rb'"[^"\\\n]*+(?:\\.[^"\\\n]*+){0,1000}+"'  # not a large constant: those are stepped over in one search
ATOM = rb"(?:-\s*+)?[\w.][-+\w.]*+"  # a number or a name
RUN = ATOM + rb"(?:[\s;,]++\1\s*+:\s*+" + ATOM + rb")*+"  # and the fields of the same name (group 1) right after it


def _block(depth: int) -> bytes:
    """Balanced braces up to `depth` with strings between; not what needs thought: lists, comments, other brackets."""
    plain = rb"[^{}\"'\#<>\\\[]*+"
    pattern = rb"\{" + plain + rb"(?:" + STRING + plain + rb")*+\}"
    for _ in range(depth - 1):
        pattern = rb"\{" + plain + rb"(?:(?:" + STRING + rb"|" + pattern + rb")" + plain + rb")*+\}"
    return pattern


# What a field begins with: its name (group 1) and a colon, which only a message may lack.
_BEGIN = SPACE + rb"(?:(" + NAME + rb")\s*+(?::?\s*+(?=[{<])|:\s*+)"
_SCALAR = STRING + rb"(?!\s*+[\"'\#])|" + RUN

# A whole field: name (1) and value (2), which is a scalar, a run or a simple message. Those in a node have five levels,
# attr { value { tensor { tensor_shape { dim {} } } } }, a node in a function has six.
WHOLE = re.compile(_BEGIN + rb"(" + _SCALAR + rb"|" + _block(6) + rb"))")
# The same, to find all: an empty name where something else stands.
WHOLES = re.compile(_BEGIN + rb"(" + _SCALAR + rb"|" + _block(5) + rb")|(?=[^\s;,]))")
# One step: a scalar or a run (2), a message that opens (3) or closes (4).
STEP = re.compile(_BEGIN + rb"(?:(" + _SCALAR + rb")|([{<]))|([}>]))")
VALUE, OPEN, CLOSE = 2, 3, 4
CLOSING = re.compile(SPACE + rb"\}")

# The beginning of a field in all its forms, extensions among them: name (1) and colon (2).
HEAD = re.compile(rb"(" + NAME + rb"|\[[\w.\-/\s]++\])" + GAP + rb"(:?)" + GAP)
SCALAR = re.compile(ATOM)
SCALARS = re.compile(rb"\[" + SPACE + rb"(?:" + ATOM + SPACE + rb")*+\]")
BETWEEN_FIELDS = re.compile(SPACE)
INSIDE_FIELD = re.compile(GAP)


def end(pattern: re.Pattern[bytes], data: bytes, pos: int) -> int:
    """Where a pattern that can match nothing stops."""
    found = pattern.match(data, pos)
    assert found is not None
    return found.end()
