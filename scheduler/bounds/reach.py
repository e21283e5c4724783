"""How soon a node can start, and how soon after its end the step can end, whatever the placement and the order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler.bounds import _reach_kernel
from scheduler.dag import Dag

Times = NDArray[np.int64]
TOGETHER, APART = _reach_kernel.TOGETHER, _reach_kernel.APART

STEPS = 6_000_000
"""Ancestors looked at, over all nodes: some tenths of a second."""


def heads(dag: Dag, node_ns: Times, edge_ns: Times, tie: NDArray[np.int32], steps: int = STEPS) -> Times:
    """[n] no placement starts v before this; node_ns and edge_ns [m] are lower bounds on times of nodes and transfers.

    tie [m]: 0, or TOGETHER: the edge's ends share a device in all placements looked at, or APART: in none they do.

    Proof, by induction over the topological order. Suppose v starts at t or earlier, on device d. An input u -> v with
    head(u) + time(u) + transfer > t cannot have been sent: u is on d. Likewise, if w is known to be on d and `way` is
    the length of a path from w's start to v's, an input u -> w with head(u) + time(u) + transfer + way > t is on d too.
    Let S be a set of nodes so forced onto d. They all run on d one after the other before v, so for every a the nodes
    of S with heads from a on are done no earlier than a + the sum of their times. If the largest such sum, `done`,
    exceeds t, then v starts later than t; and the same S serves every t below the smallest of the sums that forced its
    members, `until`. So v starts at min(done, until) or later, and the argument is repeated from there. Stopping early,
    after so many rounds or ancestors, proves less but nothing wrong: any subset of what is forced will do. Ancestors
    are met by falling head, nearest first, so that a running sum is the sum of those from a head on.

    Source of the idea: [1] Papadimitriou, Yannakakis, "Towards an architecture-independent analysis of parallel
    algorithms", SIAM J. Comput. 1990, doi 10.1137/0219021. Differs from [1]: each transfer has its own time, and the
    number of ancestors is bounded. O(steps log n + m).
    """
    return _sweep(dag, dag.order, (dag.in_ptr, dag.in_edge, dag.src), node_ns, edge_ns, tie, steps)


def tails(dag: Dag, node_ns: Times, edge_ns: Times, tie: NDArray[np.int32], steps: int = STEPS) -> Times:
    """[n] no placement ends the step sooner than this after the end of v.

    A schedule read backwards is a schedule of the reversed graph: devices and transfers take as long. So this is
    `heads` there; when the ports serve in another order the proof does not use it.
    """
    backwards = np.ascontiguousarray(dag.order[::-1])
    return _sweep(dag, backwards, (dag.out_ptr, dag.out_edge, dag.dst), node_ns, edge_ns, tie, steps)


def _sweep(
    dag: Dag,
    order: NDArray[np.int32],
    rows: tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]],
    node_ns: Times,
    edge_ns: Times,
    tie: NDArray[np.int32],
    steps: int,
) -> Times:
    n = dag.n
    each = steps // max(1, n)
    head, key, who, way, until = np.zeros((5, n), np.int64)
    _reach_kernel.earliest(
        order, *rows, node_ns, edge_ns, tie, int(np.clip(each // 4, 12, 2000)), int(np.clip(each // 16, 3, 64)), head,
        key, who, np.zeros(n, np.int32), way, until,
    )  # fmt: skip
    return head
