"""How often one step runs each op: once, or as often as its loop goes round."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pardnn.graph.loops import OUTSIDE, Frames
from pardnn.graph.shapes import Inferred
from pardnn.graph.wiring import Wiring

ASSUMED = 10
"""Trips of a loop whose bound is not a constant."""


def count_trips(wiring: Wiring, frames: Frames, inferred: Inferred) -> tuple[NDArray[np.int64], str | None]:
    """([n] runs per step, note)."""
    trips = np.ones(wiring.n, np.int64)
    each: list[int] = []
    for number, around in enumerate(frames.parent):
        each.append(ASSUMED * (1 if around == OUTSIDE else each[around]))
        trips[frames.frame == number] = each[number]
    return trips, f"{len(each)} loops without a constant bound are taken to run {ASSUMED} times" if each else None
