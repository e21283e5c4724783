"""Lower bounds on the makespan: no placement in any order is faster."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler.levels import bottom_levels
from scheduler.workload import Workload


def lower_bound_ns(workload: Workload, allowed: NDArray[np.bool_]) -> int:
    """The larger of two proofs: the longest path without transfers, and the work shared out evenly.

    allowed [n, k]: the devices each node may run on; each node is taken on its fastest allowed one. Nodes with the same
    set of devices share out their work among these. O(n k + m).
    """
    if not workload.dag.n:
        return 0
    fastest = np.where(allowed, workload.time_ns, np.iinfo(np.int64).max).min(axis=1)
    path = bottom_levels(workload.dag, fastest, np.zeros(workload.dag.m, np.int64)).max()
    sets, which = np.unique(allowed, axis=0, return_inverse=True)
    work = np.zeros(len(sets), np.int64)
    np.add.at(work, which.ravel(), fastest)
    # A set's devices also do the work of every set within it.
    shares = [-(-int(work[(sets <= s).all(axis=1)].sum()) // int(s.sum())) for s in sets]
    return max(int(path), *shares)
