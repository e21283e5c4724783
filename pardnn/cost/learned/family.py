"""One family of ops with its trained networks: times, bands, and where they hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pardnn.cost.learned.device import Column, Devices
from pardnn.cost.learned.ensemble import Ensemble, times
from pardnn.cost.learned.network import Floats

ALIKE = 0.12
"""A card is one of those trained on if its peak and bandwidth are as near as this, as a share."""
FAR = (0.5, 4.0)
"""Nothing is predicted for cards whose peak, or peak per bandwidth, lies outside the trained ones' times these."""
DOUBT = 0.05
"""Added to how far networks are apart: what none of them can know, such as the noise of measuring."""


class Prediction(NamedTuple):
    """[r] for each row."""

    ms: Column
    low: Column
    """The true time over this one is at least so much for 9 of 10 rows ..."""
    high: Column
    """... and at most so much."""
    inside: NDArray[np.bool_]
    """False = outside of what was trained on; the figures mean little there."""


@dataclass(frozen=True, eq=False)
class Family:
    """Networks, the devices of their training, and how many times their doubt the error is for 9 of 10 rows."""

    rule: ModuleType
    """Gives `features`, `least_ms` and `overhead_ms`."""
    ensemble: Ensemble
    blind: Ensemble | None
    """Networks that see of a device only what ops are measured by, for devices not trained on: given more figures, some
    tell the few devices of their training apart and are lost on others. None = the same networks do for all."""
    trained: NDArray[np.float64]
    """[d, 6] figures of the devices trained on."""
    doubts_known: float
    """On a device trained on, by rows kept out of training."""
    doubts_unseen: float
    """On others, by devices kept out of training, and beyond the sizes trained on."""

    def predict(self, rows: Mapping[str, Column], device: Devices) -> Prediction:
        """What each row takes; O(rows * weights)."""
        features = self.rule.features(rows, device)
        z, apart = self._exponents(features, device)
        ms = times(z, self.rule.least_ms(rows, device), self.rule.overhead_ms(rows))
        beyond = _any(features > self.ensemble.high + 0.05, self.ensemble.open_above)
        sure = self._known(device) & ~beyond
        doubt = np.where(sure, self.doubts_known, self.doubts_unseen) * (DOUBT + apart)
        return Prediction(ms, np.exp(-doubt), np.exp(doubt), self.ensemble.inside(features) & self._near(device))

    def doubts(self, ms: Column, rows: Mapping[str, Column], device: Devices) -> Column:
        """[r] the errors of the logarithm as multiples of the doubt: what the two figures are quantiles of."""
        z, apart = self._exponents(self.rule.features(rows, device), device)
        predicted = times(z, self.rule.least_ms(rows, device), self.rule.overhead_ms(rows))
        return np.asarray(np.abs(np.log(predicted / ms)) / (DOUBT + apart))

    def _exponents(self, features: Floats, device: Devices) -> tuple[Floats, Floats]:
        """As the ensemble's, of the networks that suit each row's device."""
        if self.blind is None:
            return self.ensemble.exponents(features)
        known = self._known(device)
        z, apart = np.zeros((2, len(features)), np.float32)
        for networks, at in ((self.ensemble, known), (self.blind, ~known)):
            if at.any():
                z[at], apart[at] = networks.exponents(features[at])
        return z, apart

    def _known(self, device: Devices) -> NDArray[np.bool_]:
        figures = np.stack([device.flops, device.bandwidth], 1)[:, None]
        return np.asarray((np.abs(figures / self.trained[None, :, :2] - 1).max(2) < ALIKE).any(1))

    def _near(self, device: Devices) -> NDArray[np.bool_]:
        balance = self.trained[:, 0] / self.trained[:, 1]
        found = np.ones(len(device.flops), np.bool_)
        for figure, known in ((device.flops, self.trained[:, 0]), (device.flops / device.bandwidth, balance)):
            found &= (figure >= FAR[0] * known.min()) & (figure <= FAR[1] * known.max())
        return found


def _any(beyond: NDArray[np.bool_], positions: tuple[int, ...]) -> NDArray[np.bool_]:
    return np.asarray(beyond[:, list(positions)].any(1)) if positions else np.zeros(len(beyond), np.bool_)


def quantile(doubts: Column, share: float) -> float:
    """The conformal quantile: so many of new rows like these lie within, on average over draws of the rows.

    [1] Vovk, Gammerman, Shafer, Algorithmic learning in a random world, 2005.
    """
    rank = int(np.ceil((len(doubts) + 1) * share))
    return float(np.sort(doubts)[min(rank, len(doubts)) - 1])


def floats(values: object) -> Floats:
    """As networks hold numbers."""
    return np.asarray(values, np.float32)
