"""Stage II: secondaries onto devices, first where they talk most, then where least is to be done."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pardnn.partition.pardnn import _kernels
from pardnn.partition.pardnn.slicing import Clusters
from pardnn.partition.pardnn.spans import Timeline
from pardnn.problem import Problem

COVERED, BALANCED, DOMINATED = 1, 2, 3
"""The rules of the look-ahead by which a secondary is mapped, as numbered in [1]."""


def unmapped(problem: Problem, clusters: Clusters) -> NDArray[np.int32]:
    """[n] where each node is before mapping: its device, `gpus` = in the pool, `gpus + 1` = on the host."""
    gpus = problem.gpus
    slot = np.where(clusters.of < clusters.primaries, clusters.of, gpus)
    return np.where(problem.pin >= gpus, gpus + 1, slot).astype(np.int32)


def by_criticality(clusters: Clusters, timeline: Timeline, slot: NDArray[np.int32], gpus: int) -> NDArray[np.int64]:
    """The secondaries in the pool, most critical first, ties in order of slicing."""
    secondary = np.arange(clusters.primaries, clusters.count)
    secondary = secondary[slot[clusters.node[clusters.ptr[secondary]]] == gpus]
    return secondary[np.argsort(-timeline.criticality[secondary], kind="stable")]


def look_ahead(
    problem: Problem, clusters: Clusters, timeline: Timeline, slot: NDArray[np.int32], *, maximal: bool
) -> NDArray[np.int32]:
    """Map, in place of `slot`, the secondaries that should stay where they talk most; [c] the rule by which, 0 = none.

    Candidates are those whose whole traffic is with one device, with `maximal` also those for which the traffic with
    one exceeds their traffic / K. The pass is repeated while it maps something, at most log2 n times.
    """
    gpus, dag = problem.gpus, problem.workload.dag
    rule = np.zeros(clusters.count, np.int32)
    _kernels.look_ahead(
        gpus, max(1, dag.n.bit_length() - 1), int(maximal), by_criticality(clusters, timeline, slot, gpus),
        clusters.ptr, clusters.node, clusters.of, dag.in_ptr, dag.in_edge, dag.src, dag.out_ptr, dag.out_edge, dag.dst,
        problem.node_ns, problem.comm_ns, timeline.rank, timeline.begin, timeline.end,
        timeline.ranks, timeline.plant(slot, gpus + 1, problem.node_ns),
        np.zeros(gpus + 1, np.int64), np.zeros(gpus + 2, np.int64), slot, rule,
    )  # fmt: skip
    return rule


def map_by_level(
    problem: Problem, clusters: Clusters, timeline: Timeline, slot: NDArray[np.int32], relief: int
) -> NDArray[np.int64]:
    """Map, in place of `slot`, what is left to the device with the least load in the span plus traffic with the others.

    Ties go to the device with most traffic. relief > 0: a load counts at most relief times the secondary's own work.
    Returns [c, K] the costs, 0 for clusters mapped before.
    """
    gpus, dag = problem.gpus, problem.workload.dag
    cost = np.zeros(clusters.count * gpus, np.int64)
    _kernels.map_by_level(
        gpus, relief, by_criticality(clusters, timeline, slot, gpus),
        clusters.ptr, clusters.node, clusters.of, dag.in_ptr, dag.in_edge, dag.src, dag.out_ptr, dag.out_edge, dag.dst,
        problem.node_ns, problem.comm_ns, timeline.rank, timeline.begin, timeline.end,
        timeline.ranks, timeline.plant(slot, gpus + 1, problem.node_ns),
        np.zeros(gpus + 1, np.int64), np.zeros(gpus + 2, np.int64), slot, cost,
    )  # fmt: skip
    return cost.reshape(-1, gpus)
