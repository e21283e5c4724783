"""Several networks as one: a bounded utilisation of the roofline, where it was trained, and how far it can be trusted.

time = overhead + roofline * (1 + exp(z)), with z from the networks: utilisation 1 / (1 + exp(z)) lies in (0, 1), so
that no prediction undercuts the roofline.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.cost.learned.network import Floats, Network

LEAST = 0.01
"""Spread is not taken to be less: networks that agree are not sure."""


@dataclass(frozen=True, eq=False)
class Ensemble:
    """Networks of one family, and the edges [f] of what they were trained on."""

    networks: tuple[Network, ...]
    low: Floats
    high: Floats
    bounds: tuple[int, ...]
    """Positions of the features that decide whether a row is inside; the others are only clipped."""
    open_above: tuple[int, ...]
    """Those of them that may exceed the edge: utilisation no longer changes there."""

    def inside(self, features: Floats, slack: float = 0.05) -> NDArray[np.bool_]:
        """[r] the row lies in the training range, give or take."""
        found = np.ones(len(features), np.bool_)
        for at in self.bounds:
            found &= features[:, at] >= self.low[at] - slack
            if at not in self.open_above:
                found &= features[:, at] <= self.high[at] + slack
        return found

    def exponents(self, features: Floats) -> tuple[Floats, Floats]:
        """([r] z, [r] how far the networks are apart, a standard deviation); features clipped to the training range."""
        clipped = np.clip(features, self.low, self.high)
        said = np.stack([network(clipped) for network in self.networks])
        return said.mean(0), said.std(0)


def times(z: Floats, least_ms: NDArray[np.float64], overhead_ms: NDArray[np.float64]) -> NDArray[np.float64]:
    """[r] ms."""
    return np.asarray(overhead_ms + least_ms * (1 + np.exp(np.minimum(z.astype(np.float64), 30))))


def edges(features: Floats) -> tuple[Floats, Floats]:
    """The range of each feature."""
    return features.min(0), features.max(0)


def loss_of_log(
    measured_ms: NDArray[np.float64], least_ms: NDArray[np.float64], overhead_ms: NDArray[np.float64], bend: float = 0.3
) -> LossOfLog:
    """The loss: Huber's, of log(predicted / measured)."""
    log_measured, least, over = (np.asarray(c, np.float32) for c in (np.log(measured_ms), least_ms, overhead_ms))
    return LossOfLog(log_measured, least, over, np.float32(bend))


@dataclass(frozen=True, eq=False)
class LossOfLog:
    """Huber's loss of log(predicted / measured), of the time that z stands for."""

    log_measured: Floats
    least: Floats
    overhead: Floats
    bend: np.float32

    def __call__(self, z: Floats, rows: NDArray[np.intp]) -> tuple[float, Floats]:
        """(mean, derivative by each z)."""
        grown = self.least[rows] * np.exp(np.clip(z, -20, 20))
        time = self.overhead[rows] + self.least[rows] + grown
        error = np.log(time) - self.log_measured[rows]
        clipped = np.clip(error, -self.bend, self.bend)
        mean = float(
            np.mean(np.where(np.abs(error) < self.bend, error**2 / 2, self.bend * (np.abs(error) - self.bend / 2)))
        )
        # The slope fades where the time no longer depends on z; a tenth of it stays, or rows would get stuck there.
        slope = np.maximum(grown / time, 0.1)
        return mean, np.asarray(clipped * slope / len(rows), np.float32)


def whole(
    networks: Sequence[Network], features: Floats, bounds: tuple[int, ...], open_above: tuple[int, ...]
) -> Ensemble:
    """The ensemble of networks that were trained on these features."""
    return Ensemble(tuple(networks), *edges(features), bounds, open_above)
