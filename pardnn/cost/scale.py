"""How much slower or faster a machine is than its roofline, learned from the ops that were measured."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pardnn.median import weighted_median

ENOUGH = 5
"""So many measured ops of a type make a ratio of its own."""


def scales(
    measured: NDArray[np.int64], predicted: NDArray[np.int64], known: NDArray[np.bool_], types: Sequence[str]
) -> tuple[NDArray[np.float64], float]:
    """([n] measured / predicted time for each op's type, the same over all types); 1 where nothing is known.

    Each is the median of the ratios, weighted by predicted time: most ops are tiny and say little of the large ones,
    and a few that went wrong change nothing. O(n log n).
    """
    usable = known & (predicted > 0) & (measured > 0)
    overall = _median(measured, predicted, np.flatnonzero(usable), 1.0)
    result = np.full(len(types), overall)
    of_type: dict[str, list[int]] = {}
    for v, kind in enumerate(types):
        of_type.setdefault(kind, []).append(v)
    for ops in of_type.values():
        sure = np.array([v for v in ops if usable[v]], np.int64)
        if len(sure) >= ENOUGH and len(sure) < len(ops):
            result[ops] = _median(measured, predicted, sure, overall)
    return result, overall


def _median(
    measured: NDArray[np.int64], predicted: NDArray[np.int64], where: NDArray[np.int64], default: float
) -> float:
    """The ratio that half of the predicted time lies below."""
    if not len(where):
        return default
    return weighted_median(measured[where] / predicted[where], predicted[where])
