"""Ops whose traffic is their time: element-wise ones, softmax, normalisation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pardnn.cost.learned.device import Column, Devices
from pardnn.cost.learned.network import Floats

OPS = ("add", "addu", "mul", "mulu", "div", "divu", "pow", "powu", "relu", "gelu", "tanh", "softmax", "ln")
"""u: the second operand is a number."""
INPUTS = (2, 1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 1)
COLUMNS = ("rows", "width", "op")
"""op: position in OPS."""
LAUNCH_MS = 0.004
RANGE = (0,)
"""Positions of the features that bound what is predicted: traffic in time on the device."""
OPEN_ABOVE = (0,)
"""A large op's utilisation no longer changes."""


def least_ms(rows: Mapping[str, Column], device: Devices) -> Column:
    """[r] the roofline at its peaks, which no prediction undercuts."""
    return bytes_of(rows) / device.bandwidth


def overhead_ms(rows: Mapping[str, Column]) -> Column:
    """[r] the start of a kernel."""
    return np.full(len(rows["rows"]), LAUNCH_MS)


def features(rows: Mapping[str, Column], device: Devices) -> Floats:
    """[r, f]. Shape matters where rows are reduced: softmax and normalisation; elsewhere it is set to one value."""
    r, w, op = rows["rows"], rows["width"], rows["op"]
    log, reduces = np.log, op >= OPS.index("softmax")
    elements = r * w
    columns: list[NDArray[Any]] = [
        log(bytes_of(rows) / device.bandwidth), log(bytes_of(rows) / device.cache), log(elements / device.cores),
        reduces * log(r / device.cores * 64), reduces * log(w), reduces * np.minimum(r / device.cores * 16, 4),
        elements % 4 == 0, *(reduces * (w <= edge) for edge in (64, 128, 256, 512, 1024, 2048)),
        reduces * (w % 4 == 0), reduces * log(2 ** np.ceil(np.log2(w)) / w),
    ]  # fmt: skip
    columns += [op == which for which in range(len(OPS))]
    columns += [np.take(np.array(INPUTS), op.astype(np.int64)) > 1]
    return np.stack([np.asarray(c, np.float32) for c in (*columns, *device.features())], 1)


def flops_of(rows: Mapping[str, Column]) -> Column:
    """[r] operations: one an element, fifteen where rows are reduced."""
    return rows["rows"] * rows["width"] * np.where(rows["op"] >= OPS.index("softmax"), 15, 1)


def bytes_of(rows: Mapping[str, Column]) -> Column:
    """[r] bytes of inputs and output."""
    inputs = np.take(np.array(INPUTS), rows["op"].astype(np.int64))
    return 4 * (inputs + 1) * rows["rows"] * rows["width"]
