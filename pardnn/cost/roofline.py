"""From work and traffic to time: launch + max(flops / attainable flops, bytes / attainable bandwidth).

What is attainable is a share of the card's peaks that depends on the kind of kernel. The shares were chosen so that the
median of predicted over measured time is near 1 on published measurements; see EFFICIENCY.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from pardnn.cost.record import Kernel, Kind, OpCost, Precision
from pardnn.machines.card import Card

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
PRECISIONS: Final[tuple[Precision, ...]] = get_args(Precision)


class Shares(NamedTuple):
    """What a kind of kernel attains, as shares of a card's peaks."""

    cores: float
    tensor_cores: float
    bandwidth: float


EFFICIENCY: Final[dict[Kind, Shares]] = {
    "matmul": Shares(0.70, 0.70, 0.70),
    "batched": Shares(0.50, 0.40, 0.55),
    "conv": Shares(0.50, 0.35, 0.70),
    "winograd": Shares(0.85, 0.35, 0.70),
    "depthwise": Shares(0.15, 0.05, 0.60),
    "pool": Shares(0.30, 0.30, 0.70),
    "norm": Shares(0.50, 0.50, 0.70),
    "softmax": Shares(0.50, 0.50, 0.60),
    "reduce": Shares(0.50, 0.50, 0.75),
    "elementwise": Shares(0.60, 0.60, 0.82),
    "copy": Shares(0.60, 0.60, 0.75),
    "gather": Shares(0.50, 0.50, 0.50),
}
"""Median of predicted / measured time, with the 10th and 90th percentile, over rows of at least 0.1 ms:

NeuSight (PyTorch, single precision, TF32 off), V100: linear 0.99 [0.69, 1.13], its held-out linear layers 1.21
[1.02, 1.26], batched products 1.00 [0.66, 1.31], 3x3 convolutions of random shapes 0.74 [0.24, 1.35], add 1.05
[1.00, 1.10], relu 1.01, softmax 0.98 [0.86, 1.07], layer norm (as one kernel) 1.08 [0.87, 1.22]. Linear layers on cards
it was not chosen for: A100 1.13, H100 1.05, L4 0.92, T4 1.07, P100 1.16 (held-out rows).
Vidur (half precision, tensor cores), the second projection of an MLP: A100 1.02, H100 1.01, A40 1.05.
Justus et al. 2018 (TensorFlow 1, V100), whole VGG-16 training steps, batch 16 to 64: 0.98, 1.22, 1.42. Its single
convolutions (random odd channel counts, NHWC) take 3.6 times the prediction; with the transposes to NCHW and back
that TensorFlow makes around one such op, 1.6 times. In a network the layout optimizer removes these transposes.
ResNet-50, V100, batch 32, published 95 ms: 1.13.
"""

_DENSE: Final = frozenset({"matmul", "batched", "conv", "winograd"})
"""Kinds that run on tensor cores where the card has them."""

LONGEST_NS: Final = 2**52
"""Where absurd shapes end: 52 days, so that sums stay exact."""

_TENSOR_CORES: Final = 2.5
"""A peak so many times the ordinary cores' is one of tensor cores; twice is packed halves on the ordinary ones."""


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
        result[:, c] = np.ceil(np.minimum(times, LONGEST_NS))
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
    flops = [[card.sustained * _attainable_flops(card, kind, p) for p in PRECISIONS] for kind in KINDS]
    return np.array(flops), np.array([EFFICIENCY[kind].bandwidth * card.memory_bytes_per_s for kind in KINDS])


def _attainable_flops(card: Card, kind: Kind, precision: Precision) -> float:
    shares = EFFICIENCY[kind]
    ordinary = card.double_flops_per_s if precision == "double" else card.single_flops_per_s
    peaks = {"single": card.tf32_flops_per_s, "half": card.half_flops_per_s, "double": ordinary}
    peak = peaks[precision] if kind in _DENSE else ordinary
    # A small tensor-core peak does not make a kernel slower than the ordinary cores run it.
    on_cores = shares.cores * min(peak, _TENSOR_CORES * ordinary)
    return max(on_cores, shares.tensor_cores * peak) if peak > _TENSOR_CORES * ordinary else on_cores
