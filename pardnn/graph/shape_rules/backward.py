"""Inputs that must be shaped like the output: what a consumer knows tells what its producer makes.

A traced step may not say how its images are shaped, while the gradients of its convolutions spell it out.
"""

from __future__ import annotations

from collections.abc import Callable

from pardnn.graph.shape_rules.elementwise import LIKE_ALL, LIKE_FIRST

_FIRST_TWO = frozenset({"FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3"})
_FIRST = frozenset(LIKE_FIRST) - {"Bitcast", "Print"} | {
    "FusedBatchNorm",
    "FusedBatchNormV2",
    "FusedBatchNormV3",
    "MaxPoolGrad",
    "Switch",
}
_ALL = frozenset(LIKE_ALL)


def _range(op: str) -> Callable[[int], range]:
    if op in _ALL:
        return range
    if op in _FIRST_TWO:
        return lambda inputs: range(min(inputs, 2))
    return lambda inputs: range(min(inputs, 1))


_SAME = {op: _range(op) for op in sorted(_FIRST | _FIRST_TWO | _ALL)}


def hints(op: str, inputs: int) -> range:
    """Positions of the inputs that are shaped like the first output."""
    return _SAME[op](inputs) if op in _SAME else range(0)
