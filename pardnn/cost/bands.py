"""How far off a time may be: for 9 of 10 ops the true one over the estimated one lies between two factors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pardnn.cost.record import Source

BANDS: Mapping[Source, tuple[float, float]] = {
    "measured": (0.9, 1.1),
    "learned": (0.7, 1.4),
    "roofline": (0.6, 2.5),
    "default": (0.2, 5.0),
}
"""Measured: medians of repeated steps agree that well, and what runs beside an op matters. Roofline: what whole VGG-16
steps of batch 4 to 64 took beside it (scripts/prediction/vgg.py); single ops mostly lie in 0.75 to 1.5, convolutions of
odd shapes are up to four times slower (`pardnn.cost.roofline.EFFICIENCY`). Learned: where the model gives no band of
its own. Default: by bytes alone, an order of magnitude."""


def bands(source: Sequence[Source]) -> NDArray[np.float64]:
    """[n, 2] the factors of each op by the source of its time."""
    return np.array([BANDS[one] for one in source], np.float64).reshape(-1, 2)


def total_band(time_ns: NDArray[np.int64], band: NDArray[np.float64]) -> tuple[float, float]:
    """The factors of the sum of the times [n]: as if all ops were off to the same side, for ops of a kind often are."""
    total = float(time_ns.sum())
    if not total:
        return 1.0, 1.0
    low, high = (time_ns.astype(np.float64) @ band / total).tolist()
    return low, high
