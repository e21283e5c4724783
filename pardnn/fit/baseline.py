"""What a straight line gives, to be beside it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def linear(features: Floats, target: Floats, new: Floats) -> Floats:
    """[m] ordinary least squares of the target [n] on features [n, D], at rows [m, D]."""
    one, also = (np.concatenate([np.ones((len(rows), 1)), rows], axis=1) for rows in (features, new))
    return np.asarray(also @ np.linalg.lstsq(one, target, rcond=None)[0])


def mape(predicted: Floats, target: Floats) -> float:
    """Mean absolute error relative to the target, as a ratio."""
    return float(np.abs(predicted / target - 1).mean())
