"""Which branches count: of those that lead to one merge a step takes one, and the dearest is taken to be it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pardnn.graph.branches import PART_OF
from pardnn.graph.opgraph import OpGraph


def passed_over(graph: OpGraph, time_ns: NDArray[np.int64]) -> NDArray[np.bool_]:
    """[n] the op is from a branch that is not the dearest of its kind; O(n).

    `time_ns` are the ops' times. What such ops hold and send still counts, for that branch may be taken too.
    """
    over = np.zeros(graph.dag.n, bool)
    if graph.caller is None:
        return over
    caller = graph.caller.tolist()
    total = time_ns.tolist()
    rivals: dict[object, list[int]] = {}
    for v, node in enumerate(graph.nodes):  # a body stands before its call, branches before their merge
        if PART_OF in node.attrs:
            rivals.setdefault(node.attrs[PART_OF], []).append(v)
            continue
        if parts := rivals.pop(node.name.encode(), []):
            dearest = max(parts, key=lambda part: total[part])
            over[[part for part in parts if part != dearest]] = True
            total[v] += total[dearest]
        if caller[v] >= 0:
            total[caller[v]] += total[v]
    for v in range(graph.dag.n - 1, -1, -1):  # the outer before the inner
        over[v] |= caller[v] >= 0 and over[caller[v]]
    return over
