"""How sure the constants are: the fit again for tables of which rows are drawn with replacement."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pardnn.fit.choose import Tell
from pardnn.fit.evolve import Late
from pardnn.fit.expression import Expression
from pardnn.fit.polish import polish

Floats = NDArray[np.float64]
_STEPS, _PART = 20, 0.3
FEWEST = 20
"""Draws without which there are no intervals."""


def resample(
    found: Expression, features: Floats, target: Floats, draws: int, seed: int, late: Late, tell: Tell
) -> list[Expression]:
    """Expressions near `found` for so many draws of the rows [n, D] (bootstrap [1]); fewer once it is late.

    Each sets out from `found`, so that a product keeps its number.
    [1] Efron: Bootstrap methods. Annals of Statistics 7 (1979), doi 10.1214/aos/1176344552.
    """
    rng = np.random.default_rng([seed, 2])
    n, result = len(target), []
    for draw in range(draws):
        if late():
            break
        if draw % 10 == 0:
            tell(1 - _PART * (1 - draw / draws), f"how sure it is: {draw} of {draws} drawn tables")
        weight = rng.multinomial(n, np.full(n, 1 / n)).astype(np.float64)
        result.append(polish(found, features, target, weight, _STEPS))
    return result
