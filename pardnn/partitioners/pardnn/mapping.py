"""Stage II: secondaries onto devices, first where they talk most, then where least is to be done."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pardnn.partitioners.pardnn import _kernels
from pardnn.partitioners.pardnn.slicing import Clusters
from pardnn.partitioners.pardnn.spans import Timeline
from pardnn.problem import Placement, Problem

COVERED, BALANCED, DOMINATED = 1, 2, 3
"""The rules of the look-ahead by which a secondary is mapped, as numbered in [1]."""


def unmapped(problem: Problem, clusters: Clusters) -> Placement:
    """[n] where each node is before mapping: its device, `gpus` = in the pool, `gpus + 1` = on the host."""
    gpus = problem.gpus
    slot = np.where(clusters.of < clusters.primaries, clusters.of, gpus)
    return np.where(problem.pin >= gpus, gpus + 1, slot).astype(np.int32)


def by_criticality(clusters: Clusters, timeline: Timeline, slot: Placement, gpus: int) -> NDArray[np.int64]:
    """The secondaries in the pool, most critical first, ties in order of slicing."""
    secondary = np.arange(clusters.primaries, clusters.count)
    secondary = secondary[slot[clusters.node[clusters.ptr[secondary]]] == gpus]
    ordered: NDArray[np.int64] = secondary[np.argsort(-timeline.criticality[secondary], kind="stable")]
    return ordered


def look_ahead(
    problem: Problem, clusters: Clusters, timeline: Timeline, slot: Placement, *, maximal: bool
) -> NDArray[np.int32]:
    """Map, in place of `slot`, the secondaries that should stay where they talk most; [c] the rule by which, 0 = none.

    Candidates are those whose whole traffic is with one device, with `maximal` also those for which the traffic with
    one exceeds their traffic / K. The pass is repeated while it maps something, at most log2 n times.
    """
    passes = max(1, problem.workload.dag.n.bit_length() - 1)
    return _map(problem, clusters, timeline, slot, passes, int(maximal), 0)[0]


def map_by_level(
    problem: Problem, clusters: Clusters, timeline: Timeline, slot: Placement, relief: int
) -> NDArray[np.int64]:
    """Map, in place of `slot`, what is left to the device with the least load in the span plus traffic with the others.

    Ties go to the device with most traffic. relief > 0: a load counts at most relief times the secondary's own work.
    Returns [c, K] the costs, 0 for clusters mapped before.
    """
    return _map(problem, clusters, timeline, slot, 0, 0, relief)[1].reshape(-1, problem.gpus)


def _map(
    problem: Problem, clusters: Clusters, timeline: Timeline, slot: Placement, passes: int, maximal: int, relief: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    gpus, dag = problem.gpus, problem.workload.dag
    rule, cost = np.zeros(clusters.count, np.int32), np.zeros(clusters.count * gpus if passes == 0 else 0, np.int64)
    _kernels.map_secondaries(
        gpus, passes, maximal, relief, by_criticality(clusters, timeline, slot, gpus),
        clusters.ptr, clusters.node, clusters.of, dag.in_ptr, dag.in_edge, dag.src, dag.out_ptr, dag.out_edge, dag.dst,
        problem.node_ns, problem.comm_ns, timeline.rank, timeline.begin, timeline.end,
        timeline.ranks, timeline.plant(slot, gpus + 1, problem.node_ns),
        np.zeros(gpus + 1, np.int64), np.zeros(gpus + 2, np.int64), slot, rule, cost,
    )  # fmt: skip
    return rule, cost
