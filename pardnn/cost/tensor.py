"""Tensors as costs see them: element type, dimensions, bytes."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from pardnn.graph.raw import DType, Shape

# TensorFlow's DataType numbers.
HALF, BFLOAT16, FLOAT, DOUBLE, STRING, RESOURCE, VARIANT = 19, 14, 1, 2, 7, 20, 21
_COMPLEX64, _COMPLEX128 = 8, 18
_REFERENCE = 100

ITEM_BYTES = {
    FLOAT: 4, DOUBLE: 8, 3: 4, 4: 1, 5: 2, 6: 1, STRING: 16, _COMPLEX64: 8, 9: 8, 10: 1, 11: 1, 12: 1, 13: 4,
    BFLOAT16: 2, 15: 2, 16: 2, 17: 2, _COMPLEX128: 16, HALF: 2, RESOURCE: 8, VARIANT: 8, 22: 4, 23: 8, 24: 1, 25: 1,
}  # fmt: skip
"""Bytes of one element; a string counts as a small one, a resource or variant as its handle."""

HANDLES = frozenset({RESOURCE, VARIANT})
_UNKNOWN_ITEM = 4
LARGEST = 2**50
"""Where absurd shapes end: no device holds a pebibyte, and sums of such sizes stay exact."""


class Tensor(NamedTuple):
    """One value an op takes or gives. Unknown dimensions and ranks count as 1 and leave `known` False."""

    dtype: int
    """Never a reference type: see `reference`."""
    dims: tuple[int, ...]
    elements: int
    bytes: int
    known: bool
    reference: bool = False

    @property
    def handle(self) -> bool:
        """The value stands for something that lives elsewhere (a resource, a list)."""
        return self.dtype in HANDLES


def tensor(dtype: int, shape: Shape) -> Tensor:
    """The tensor of a type and a shape.

    >>> tensor(DType(1), Shape((32, -1, 10)))
    Tensor(dtype=1, dims=(32, 1, 10), elements=320, bytes=1280, known=False, reference=False)
    """
    base = int(dtype) % _REFERENCE
    reference = dtype > _REFERENCE
    given = shape.dims
    if given is None:
        item = ITEM_BYTES.get(base, _UNKNOWN_ITEM)
        return Tensor(base, (), 1, item, base in HANDLES, reference)
    known = base in HANDLES or min(given, default=0) >= 0
    dims = given if min(given, default=0) >= 0 else tuple(1 if d < 0 else d for d in given)
    elements = prod(dims)
    nbytes = min(elements * ITEM_BYTES.get(base, _UNKNOWN_ITEM), LARGEST)
    return Tensor(base, dims, elements, nbytes, known, reference)


UNKNOWN = tensor(DType(FLOAT), Shape(None))
"""What stands in where nothing is known of a value."""
