"""A large binary graph without the numbers in its large constants, of which nothing but dtype and shape is read."""

from __future__ import annotations

from pardnn.encoding import Malformed
from pardnn.encoding.layout import BODY_NODE, FUNCTION, LIBRARY, NODE, PATHS
from pardnn.encoding.rewrite import Pieces, inside, rewritten
from pardnn.encoding.wire import Field

_WORTH_IT = 1 << 24
"""From so many bytes on a message is walked first: what protobuf parses it holds twice and thrice."""
_LARGE = 1 << 16
_KEPT = 4096  # of a constant's contents: more than those hold whose numbers are read, so that what is broken stays so
_ATTR, _VALUE, _TENSOR, _LIST, _CONTENT, _FLOATS = 5, 2, 8, 1, 4, 5


def slim(data: bytes, kind: str) -> bytes:
    """The message with large constants cut short; small files are returned as they are. O(fields)."""
    if len(data) < _WORTH_IT:
        return data
    tensor = inside({_CONTENT: _cut, _FLOATS: _cut}, _LARGE)
    value = inside({_TENSOR: tensor, _LIST: inside({_TENSOR: tensor}, _LARGE)}, _LARGE)
    node = inside({_ATTR: inside({_VALUE: value}, _LARGE)}, _LARGE)
    body = inside({BODY_NODE.number: node}, _LARGE)
    change = inside({NODE.number: node, LIBRARY.number: inside({FUNCTION.number: body}, _LARGE)}, _LARGE)
    for step in reversed(PATHS[kind]):
        change = inside({step.number: change}, _LARGE)
    try:
        return rewritten(data, change)
    except Malformed:  # protobuf will say so
        return data


def _cut(data: bytes, field: Field) -> Pieces:
    return [data[field.value : field.value + _KEPT]]
