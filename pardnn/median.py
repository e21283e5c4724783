"""The weighted median: a middle that a few wild values do not move."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def weighted_median(values: ArrayLike, weights: ArrayLike) -> float:
    """The least value up to which half of the weight lies; there is at least one. O(n log n).

    >>> weighted_median([3.0, 1.0, 2.0], [1, 1, 5])
    2.0
    """
    value, weight = np.asarray(values, np.float64), np.asarray(weights, np.float64)
    order = np.argsort(value, kind="stable")
    passed = np.cumsum(weight[order])
    return float(value[order][np.searchsorted(passed, passed[-1] / 2)])
