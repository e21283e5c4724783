"""A multilayer perceptron as plain arrays: what it says of rows of features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
_ROWS = 8192
"""Rows at a time: their hidden layers stay in the processor's cache."""


@dataclass(frozen=True, eq=False)
class Network:
    """Rectified layers [f, h], [h, h], ..., and a linear one [h, 1]. Inputs are taken less `shift`, times `scale`."""

    shift: Floats
    scale: Floats
    weights: tuple[Floats, ...]
    biases: tuple[Floats, ...]

    def __call__(self, features: Floats) -> Floats:
        """[r] what comes out for features [r, f]; O(r * weights)."""
        parts = [self._forward(features[at : at + _ROWS]) for at in range(0, len(features), _ROWS)]
        return np.concatenate(parts) if parts else np.zeros(0, np.float32)

    def _forward(self, features: Floats) -> Floats:
        x = (features - self.shift) * self.scale
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            x = np.maximum(x @ weight + bias, 0)
        return np.asarray((x @ self.weights[-1] + self.biases[-1])[:, 0], np.float32)


def initial(features: Floats, hidden: tuple[int, ...], rng: np.random.Generator) -> Network:
    """A network for features like these, not trained: He's weights, inputs brought to mean 0 and deviation 1."""
    shift, spread = features.mean(0), features.std(0)
    scale = np.where(spread > 1e-6, 1 / np.maximum(spread, 1e-6), 0)
    sizes = (features.shape[1], *hidden, 1)
    weights = tuple(
        rng.standard_normal((a, b)).astype(np.float32) * np.float32(np.sqrt(2 / a)) for a, b in pairwise(sizes)
    )
    biases = tuple(np.zeros(b, np.float32) for b in sizes[1:])
    return Network(shift.astype(np.float32), scale.astype(np.float32), weights, biases)


def without_last(network: Network, count: int) -> Network:
    """The network made blind to the last features, whatever they are."""
    scale = network.scale.copy()
    scale[-count:] = 0
    return replace(network, scale=scale)
