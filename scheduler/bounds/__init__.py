"""Lower bounds on the makespan: no placement, in any order on its devices, is faster.

`case` says what is known beforehand, `reach` how early nodes can start and how late end, `share` how long work takes
when it is shared out, `merge` what a short step would force together or apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler.bounds.case import Case
from scheduler.bounds.merge import Forced, force
from scheduler.bounds.reach import STEPS, Times, heads, tails
from scheduler.bounds.share import busiest
from scheduler.machine import Machine
from scheduler.workload import Workload

__all__ = ["Case", "Forced", "force", "lower_bound_ns", "reached"]

PROBES = 16
"""Makespans tried for a contradiction."""
_SMALL = 20_000
"""Nodes up to which each try draws all conclusions, again and again."""


def lower_bound_ns(
    workload: Workload, machine: Machine, allowed: NDArray[np.bool_], group: NDArray[np.int32] | None = None
) -> int:
    """Proven for every placement that keeps groups [n] whole, on the devices allowed [n, k], and for every order.

    First the longest path with the transfers that are forced, and the work in windows of time between forced starts and
    ends; then, in growing steps and by bisection, the largest makespan that `merge` proves impossible, and one more.
    Transfers that wait for busy ports only make a step longer, so it holds with and without contention. About half a
    second per 100,000 nodes.
    """
    if not workload.dag.n:
        return 0
    case = Case.of(workload, machine, allowed, group)
    head, tail = reached(case)
    low = max(int((head + case.node_ns + tail).max()), *(busiest(share, head, tail) for share in case.shares))
    rounds = 4 if workload.dag.n <= _SMALL else 1
    high, step = -1, max(1, low // 64)
    for _ in range(PROBES):
        middle = low + step if high < 0 else (low + high) // 2
        if low == high:
            break
        if force(case, middle, head, tail, rounds, STEPS // 4) is None:
            low, step = middle + 1, 4 * step
        else:
            high = middle
    return low


def reached(case: Case) -> tuple[Times, Times]:
    """Heads and tails [n] as the case alone implies them."""
    known = case.dag, case.node_ns, case.edge_ns, case.tie
    return heads(*known), tails(*known)
