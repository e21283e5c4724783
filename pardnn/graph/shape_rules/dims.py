"""Arithmetic on shapes of which parts may be unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

Dims = tuple[int, ...] | None
"""A shape: -1 = unknown dimension, None = unknown rank."""

Value = tuple[int | None, ...]
"""The numbers in a small integer tensor, row by row; None = a number that is not known."""

UNKNOWN = -1
SCALAR: Dims = ()


def refined(first: Dims, second: Dims) -> Dims:
    """What both say together; the first wins where they contradict each other.

    >>> refined((-1, 3), (8, -1)), refined(None, (2,))
    ((8, 3), (2,))
    """
    if first is None or second is None:
        return second if first is None else first
    if UNKNOWN not in first or len(first) != len(second):
        return first
    return tuple(b if a < 0 else a for a, b in zip(first, second, strict=True))


def merged(shapes: Iterable[Dims]) -> Dims:
    """What several descriptions of one shape say together."""
    return reduce(refined, shapes, None)


def broadcast(shapes: Sequence[Dims]) -> Dims:
    """The shape of an element-wise operation on tensors of these shapes.

    >>> broadcast([(8, 1, 3), (5, 3)]), broadcast([(-1, 4), (1, 4)])
    ((8, 5, 3), (-1, 4))
    """
    known = [dims for dims in shapes if dims is not None]
    if len(known) < len(shapes) or not known:
        return None
    if all(dims == known[0] for dims in known):
        return known[0]
    rank = max(map(len, known))
    padded = [(1,) * (rank - len(dims)) + dims for dims in known]
    return tuple(_wider(column) for column in zip(*padded, strict=True))


def _wider(sizes: tuple[int, ...]) -> int:
    wide = [size for size in sizes if size not in (1, UNKNOWN)]
    return wide[0] if wide else min(sizes)


def product(sizes: Iterable[int]) -> int:
    """Number of elements; UNKNOWN if a dimension is."""
    total = 1
    for size in sizes:
        if size < 0:
            return UNKNOWN
        total *= size
    return total


def from_value(value: Value | None, rank: Dims = None) -> Dims:
    """The shape that a tensor of numbers spells; where they are unknown, its own shape `rank` says how many are."""
    if value is not None:
        return tuple(counted(size) for size in value)
    if rank is not None and len(rank) == 1 and rank[0] >= 0:
        return (UNKNOWN,) * rank[0]
    return None


def counted(size: int | None) -> int:
    """A number as the size of a dimension; UNKNOWN if it is not known or no size."""
    return UNKNOWN if size is None or size < 0 else size


def plus(*sizes: int) -> int:
    """The sum; UNKNOWN if a part is."""
    return UNKNOWN if min(sizes) < 0 else sum(sizes)


def times(a: int, b: int) -> int:
    """The product; UNKNOWN if a factor is."""
    return UNKNOWN if a < 0 or b < 0 else a * b
