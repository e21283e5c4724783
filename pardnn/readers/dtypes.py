"""TensorFlow's DataType names and the few values of constants that matter for costs."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import NamedTuple

from pardnn.graph.raw import DType, Shape

_NAMES = """
    INVALID FLOAT DOUBLE INT32 UINT8 INT16 INT8 STRING COMPLEX64 INT64 BOOL QINT8 QUINT8 QINT32 BFLOAT16 QINT16 QUINT16
    UINT16 COMPLEX128 HALF RESOURCE VARIANT UINT32 UINT64 FLOAT8_E5M2 FLOAT8_E4M3FN FLOAT8_E4M3FNUZ FLOAT8_E4M3B11FNUZ
    FLOAT8_E5M2FNUZ INT4 UINT4 INT2 UINT2
"""
_REFERENCE = 100

DTYPES = {f"DT_{name}": DType(number) for number, name in enumerate(_NAMES.split())}
DTYPES |= {f"{name}_REF": DType(number + _REFERENCE) for name, number in DTYPES.items() if number}

MOST_VALUES = 64


class Wanted(NamedTuple):
    """The values of a constant that are worth reading: the field they stand in, their code in `struct`, how many."""

    field: str
    code: str
    elements: int


_FIELDS = {
    DTYPES["DT_FLOAT"]: ("float_val", "f"),
    DTYPES["DT_INT32"]: ("int_val", "i"),
    DTYPES["DT_INT64"]: ("int64_val", "q"),
    DTYPES["DT_BOOL"]: ("bool_val", "?"),
}


def wanted(dtype: DType, shape: Shape) -> Wanted | None:
    """What to read of a constant; None where it is large, of unknown shape or no plain number."""
    if dtype not in _FIELDS or shape.dims is None or min(shape.dims, default=0) < 0:
        return None
    count = math.prod(shape.dims)
    return Wanted(*_FIELDS[dtype], count) if count <= MOST_VALUES else None


def values(want: Wanted, listed: Sequence[int | float], content: bytes) -> tuple[int | float, ...] | None:
    """The constant's values: from its content, else those listed, the last repeated; zeros where there are none.

    None where they do not fit the shape: the cost of a broken constant is nobody's business, TensorFlow will refuse it.
    """
    if content:
        layout = f"<{want.elements}{want.code}"
        return struct.unpack(layout, content) if len(content) == struct.calcsize(layout) else None
    if len(listed) > want.elements:
        return None
    last = listed[-1] if listed else 0.0 if want.code == "f" else 0
    return (*listed, *([last] * (want.elements - len(listed))))
