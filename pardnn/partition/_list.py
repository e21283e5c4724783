"""List scheduling: nodes get a device and a time one after the other. HEFT, ETF and critical-path stand on it.

Transfers never wait for one another here (contention "none"), and a node's device is final. A colocation group goes
where its first node goes. Where memory is limited, a group's footprint is taken from its device's room; a group that
fits nowhere goes where most room is left, for the refiner that enforces the limit to deal with.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pardnn.partition import _list_kernels
from pardnn.partition._memory import by_group, footprint
from pardnn.problem import Placement, Problem
from scheduler import levels

GAPS = 256
"""Idle intervals remembered per device; beyond that the earliest are forgotten."""


def bottom_levels(problem: Problem) -> NDArray[np.int64]:
    """[n] longest path from each node to the end, the node itself and every edge as a transfer included. O(n + m)."""
    return levels.bottom_levels(problem.workload.dag, problem.node_ns, problem.comm_ns)


def by_level(problem: Problem) -> NDArray[np.int32]:
    """[n] the nodes by falling bottom level, a topological order; ties as in `dag.order`."""
    order = problem.workload.dag.order
    return order[np.argsort(-bottom_levels(problem)[order], kind="stable")]


def pins(problem: Problem) -> NDArray[np.int32]:
    """[g] the device each group is pinned to, or -1."""
    pinned = np.full(problem.groups, -1, np.int32)
    pinned[problem.group] = problem.pin
    return pinned


def earliest_finish(problem: Problem, order: NDArray[np.int32], decided: NDArray[np.int32]) -> Placement:
    """Each node of the topological `order` [n] on the device where it ends first, in an idle interval where one fits.

    `decided` [g] holds the devices known beforehand, or -1; it is filled. Ties go to the device that has the inputs
    first, then to the smaller number. O((n + m) k).
    """
    k = problem.machine.k
    gap_begin, gap_end = np.empty((2, k * GAPS), np.int64)
    need = by_group(problem, footprint(problem))
    state = _state(problem, decided, need)
    _list_kernels.earliest_finish(
        k, problem.gpus, order, *_world(problem, need), *state, GAPS, np.zeros(k, np.int64), gap_begin, gap_end
    )
    return state.placement


def earliest_start(problem: Problem, decided: NDArray[np.int32]) -> Placement:
    """The ready node and device that can start first, again and again; ties to the larger bottom level.

    `decided` as in `earliest_finish`. O((n k + m) log n + m k).
    """
    dag, k = problem.workload.dag, problem.machine.k
    by_rank = np.argsort(-bottom_levels(problem), kind="stable").astype(np.int32)
    rank = np.empty(dag.n, np.int64)
    rank[by_rank] = np.arange(dag.n)
    heaps = np.empty((4, k * dag.n), np.int64)
    late, here = np.zeros((2, k), np.int64)
    need = by_group(problem, footprint(problem))
    state = _state(problem, decided, need)
    _list_kernels.earliest_start(
        k, problem.gpus, rank, by_rank, np.diff(dag.in_ptr), dag.out_ptr, dag.out_edge, dag.dst,
        *_world(problem, need), *state, heaps[0], heaps[1], late, heaps[2], heaps[3], here, np.zeros(dag.n, np.int64),
    )  # fmt: skip
    return state.placement


class _State(NamedTuple):
    """Arguments the kernels fill."""

    decided: NDArray[np.int32]
    room: NDArray[np.int64]
    placement: Placement
    finish: NDArray[np.int64]
    arrival: NDArray[np.int64]
    free_at: NDArray[np.int64]


def _world(problem: Problem, need: NDArray[np.int64]) -> tuple[Any, ...]:
    """Arguments the kernels read."""
    workload, machine, dag = problem.workload, problem.machine, problem.workload.dag
    return (
        dag.in_ptr, dag.in_edge, dag.src, workload.edge_bytes, machine.latency_ns.ravel(), machine.bytes_per_s.ravel(),
        workload.time_ns, problem.group, need,
    )  # fmt: skip


def _state(problem: Problem, decided: NDArray[np.int32], need: NDArray[np.int64]) -> _State:
    """Nothing placed; the room that groups of known device leave."""
    n, k = problem.workload.dag.n, problem.machine.k
    room = problem.machine.memory_bytes.copy()
    known = decided >= 0
    np.subtract.at(room, decided[known], need[known])
    return _State(
        decided, room, np.zeros(n, np.int32), np.zeros(n, np.int64), np.zeros(k, np.int64), np.zeros(k, np.int64)
    )
