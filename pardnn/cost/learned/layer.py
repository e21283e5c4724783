"""A convolution's passes inside a step, from layers that were measured alone: its forward pass and its gradients.

Padded 3x3 convolutions of stride 1 were measured as ops [2]; all others only as layers, each in a session of its own
[1]: theirs is what the layer takes less the session, which a step pays once. No table tells a gradient's time, but
layers were measured forward only and with an optimiser: both gradients are the difference, less the update.

[1] Justus, Brennan, Bonner, McGough, Predicting the computational cost of deep learning models, 2018, arXiv 1811.11880.
[2] Lee, Phanishayee, Mahajan, NeuSight, ASPLOS 2025, arXiv 2407.13853.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pardnn.cost.learned import convolution
from pardnn.cost.learned.device import Column, Devices
from pardnn.cost.learned.family import Family, Prediction

WIDEST = 2048
"""Most channels of a convolution that was measured as an op."""
_SMALLEST = 5
"""Least side of the image of these."""
_UPDATE = 3
"""Tensors of a variable's size that plain descent reads and writes. Momentum moves as many more, in two kernels."""
_SLOWEST = 2.5
"""How many times its traffic at the peak an update takes at most: the K80's take 1.9 times."""
_SHAKIEST = 2.0
"""Most that a difference's doubt is of that of the larger part: where it is small, the roofline bounds it anyway."""
_PLAIN, _MOMENTUM = (convolution.OPTIMISERS.index(name) for name in ("SGD", "Momentum"))
Rows = Mapping[str, Column]


def forward(family: Family, rows: Rows, device: Devices) -> Prediction:
    """What a forward pass takes inside a step; rows are without a session. O(rows * weights)."""
    op, layer = family.predict(rows, device), _layer(family, rows, device, 0)
    return _forward(rows, device, op, layer)


def gradient(family: Family, rows: Rows, device: Devices) -> Prediction:
    """What one of the two gradients takes: half of both, since they do the same work. Rows as `forward` wants them.

    Both take as many times a forward pass as in the layer's own session, where all passes ran in one layout.
    """
    op, layer = family.predict(rows, device), _layer(family, rows, device, 0)
    plain, momentum = (_layer(family, rows, device, which) for which in (_PLAIN, _MOMENTUM))
    once, least = _forward(rows, device, op, layer), convolution.least_ms(rows, device)
    both = plain.ms - _update_ms(rows, device, momentum.ms - plain.ms) - layer.ms
    # The networks hold a layer's time above its roofline, not the difference of two.
    times = np.maximum(both, 2 * least) / layer.ms
    ms = np.maximum(once.ms * times / 2, least + convolution.overhead_ms(rows))
    # A difference is as doubtful as what it is taken of, so many times as that is larger; both doubts count alike.
    weight = np.minimum(plain.ms / np.maximum(both, least), _SHAKIEST)
    doubt = np.hypot(np.log(once.high), weight * np.log(plain.high))
    return Prediction(ms, np.exp(-doubt), np.exp(doubt), once.inside)


def _forward(rows: Rows, device: Devices, op: Prediction, layer: Prediction) -> Prediction:
    seen = _measured_as_op(rows)
    least = convolution.least_ms(rows, device) + convolution.overhead_ms(rows)
    ms, low, high = (np.where(seen, a, b) for a, b in zip(op[:3], layer[:3], strict=True))
    return Prediction(np.maximum(ms, least), low, high, op.inside)


def _measured_as_op(rows: Rows) -> NDArray[np.bool_]:
    """[r] the row is of the kind that [2] measured."""
    wide = np.maximum(rows["channels_in"], rows["channels_out"]) <= WIDEST
    same = (rows["kernel"] == 3) & (rows["stride"] == 1) & (rows["same_padding"] > 0) & (rows["size"] >= _SMALLEST)
    return np.asarray(wide & same)


def _layer(family: Family, rows: Rows, device: Devices, optimiser: int) -> Prediction:
    """The layer in a session with an optimiser (0 = forward only), less the session."""
    said = family.predict(_in_session(rows, optimiser), device)
    return said._replace(ms=said.ms - convolution.SESSION_MS)


def _in_session(rows: Rows, optimiser: int) -> Rows:
    ones = np.ones_like(rows["batch"])
    return {
        **rows, "session": ones, "optimiser": optimiser * ones, "slots": convolution.SLOTS[optimiser] * ones,
        "passes": (3 if optimiser else 1) * ones,
    }  # fmt: skip


def _update_ms(rows: Rows, device: Devices, more_ms: Column) -> Column:
    """What plain descent took to update filter and input, both variables in [1]: as much as Momentum takes more."""
    held = rows["batch"] * rows["size"] ** 2 + rows["kernel"] ** 2 * rows["channels_out"]
    least = _UPDATE * 4 * rows["channels_in"] * held / device.bandwidth
    return np.asarray(np.clip(more_ms, least, _SLOWEST * least))
