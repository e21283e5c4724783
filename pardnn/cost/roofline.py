"""From work and traffic to time: launch + max(flops / attainable flops, bytes / attainable bandwidth).

What is attainable is a share of the card's peaks that depends on the kind of kernel. The shares were chosen so that the
median of predicted over measured time is near 1 on published measurements; see EFFICIENCY.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, get_args

import numpy as np
from numpy.typing import NDArray

from pardnn.cost.record import Kernel, Kind, OpCost, Precision
from pardnn.machines.card import Card

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
PRECISIONS: Final[tuple[Precision, ...]] = get_args(Precision)

EFFICIENCY: Final[dict[Kind, tuple[float, float]]] = {
    "matmul": (0.70, 0.70),
    "batched": (0.55, 0.65),
    "conv": (0.65, 0.70),
    "depthwise": (0.15, 0.60),
    "pool": (0.30, 0.70),
    "norm": (0.50, 0.70),
    "softmax": (0.50, 0.60),
    "reduce": (0.50, 0.75),
    "elementwise": (0.60, 0.82),
    "copy": (0.60, 0.75),
    "gather": (0.50, 0.50),
}
"""(share of peak flops, share of peak bandwidth) per kind of kernel."""

_DENSE: Final = frozenset({"matmul", "batched", "conv"})
"""Kinds that run on tensor cores where the card has them."""


def kernel_times(costs: Sequence[OpCost], cards: Sequence[Card]) -> NDArray[np.int64]:
    """[n, c] ns that one run of each op takes on each card, rounded up; 0 for an op without kernels. O(c * kernels)."""
    node = np.fromiter((v for v, cost in enumerate(costs) for _ in cost.kernels), np.int64)
    kernels = [kernel for cost in costs for kernel in cost.kernels]
    result = np.zeros((len(costs), len(cards)), np.int64)
    if not kernels:
        return result
    kind, flops, nbytes, precision, launches = _columns(kernels)
    for c, card in enumerate(cards):
        attainable_flops, attainable_bytes = _attainable(card)
        busy_s = np.maximum(flops / attainable_flops[kind, precision], nbytes / attainable_bytes[kind])
        times = np.bincount(node, launches * card.launch_ns + busy_s * 1e9, minlength=len(costs))
        result[:, c] = np.ceil(times)
    return result


def _columns(kernels: Sequence[Kernel]) -> tuple[NDArray[np.int64], ...]:
    kinds = {kind: i for i, kind in enumerate(KINDS)}
    precisions = {precision: i for i, precision in enumerate(PRECISIONS)}
    rows = [
        (kinds[k.kind], k.flops, k.bytes_read + k.bytes_written, precisions[k.precision], k.launches) for k in kernels
    ]
    # By way of float64: an absurd shape must become a long time, not an overflow.
    table = np.array(rows, np.float64)
    return (table[:, 0].astype(np.int64), table[:, 1], table[:, 2], table[:, 3].astype(np.int64), table[:, 4])  # type: ignore[return-value]


def _attainable(card: Card) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """([kind, precision] flops per second, [kind] bytes per second)."""
    ordinary = {"single": card.single_flops_per_s, "half": card.single_flops_per_s, "double": card.double_flops_per_s}
    dense = {"single": card.tf32_flops_per_s, "half": card.half_flops_per_s, "double": card.double_flops_per_s}
    flops = [
        [card.sustained * EFFICIENCY[kind][0] * (dense if kind in _DENSE else ordinary)[p] for p in PRECISIONS]
        for kind in KINDS
    ]
    return np.array(flops), np.array([EFFICIENCY[kind][1] * card.memory_bytes_per_s for kind in KINDS])
