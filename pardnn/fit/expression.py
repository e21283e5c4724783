"""The expression: t = C + sum over products k of a_k * prod over features i of x_i ^ p_ki, in units of a mean time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
STEEPEST = 60.0
"""No product is beyond e to this, whatever a new row holds."""


@dataclass(frozen=True, eq=False)
class Expression:
    """C and the a_k by their logarithms, so that all are above 0; powers [K, D] of features that are logarithms."""

    log_constant: float
    log_factor: Floats
    """[K]"""
    power: Floats
    """[K, D]"""

    @property
    def terms(self) -> int:
        """K."""
        return len(self.log_factor)

    def products(self, features: Floats) -> Floats:
        """[n, K] each product at features [n, D]."""
        return np.asarray(np.exp(np.minimum(features @ self.power.T + self.log_factor, STEEPEST)))

    def __call__(self, features: Floats) -> Floats:
        """[n] the expression at features [n, D]."""
        return np.asarray(self.products(features).sum(axis=1) + np.exp(self.log_constant))

    @property
    def flat(self) -> Floats:
        """[1 + K + K D] every constant in a row."""
        return np.concatenate([[self.log_constant], self.log_factor, self.power.ravel()])

    @classmethod
    def of(cls, flat: Floats, terms: int) -> Expression:
        """The inverse of `flat`."""
        return cls(float(flat[0]), flat[1 : 1 + terms], flat[1 + terms :].reshape(terms, -1))
