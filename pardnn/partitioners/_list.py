"""List scheduling: nodes get a device and a time one after the other. HEFT, ETF, critical-path and frugal stand on it.

A node's device is final. A colocation group goes where its first node goes. Where memory is limited, a group's
footprint is taken from its device's room; a group that fits nowhere goes where most room is left, for the refiner that
enforces the limit to deal with.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pardnn.partitioners import _finish, _start
from pardnn.partitioners._memory import by_group, footprint
from pardnn.problem import Placement, Problem
from scheduler import levels

GAPS = 1024
"""Idle intervals remembered per device; beyond that the earliest are forgotten."""


def bottom_levels(problem: Problem) -> NDArray[np.int64]:
    """[n] longest path from each node to the end, the node itself and every edge as a transfer included. O(n + m)."""
    return levels.bottom_levels(problem.workload.dag, problem.node_ns, problem.comm_ns)


def by_level(problem: Problem) -> NDArray[np.int32]:
    """[n] the nodes by falling bottom level, a topological order; ties as in `dag.order`. O(n log n + m)."""
    order = problem.workload.dag.order
    return order[np.argsort(-bottom_levels(problem)[order], kind="stable")]


def pins(problem: Problem) -> NDArray[np.int32]:
    """[g] the device each group is pinned to, or -1."""
    pinned = np.full(problem.groups, -1, np.int32)
    pinned[problem.group] = problem.pin
    return pinned


def earliest_finish(
    problem: Problem,
    order: NDArray[np.int32],
    decided: NDArray[np.int32],
    *,
    gaps: int = GAPS,
    charge: int = 0,
    contended: bool = False,
    need: NDArray[np.int64] | None = None,
    gives: NDArray[np.int64] | None = None,
) -> Placement:
    """Each node of the topological `order` [n] on the device where it ends first, plus `charge` % of its new transfers.

    `decided` [g] holds the devices known beforehand, or -1; it is filled. With `gaps` > 0 a node may go into an earlier
    idle interval. If `contended`, transfers wait for their links in the order of the list. A node takes `need` [n] of
    its device's memory (default: its estimated footprint) and gives `gives` [n] of it back once all its readers are
    placed. Ties go to the device that has the inputs first, then to the smaller number.
    O((n + m) k (1 + links on a path) + n k links).
    """
    k = problem.machine.k
    gap_begin, gap_end = np.empty((2, k * gaps), np.int64)
    need = by_group(problem, footprint(problem) if need is None else need)
    gives = np.zeros(problem.workload.dag.n, np.int64) if gives is None else gives
    state = _state(problem, decided, need, _tensors(problem), contended=contended)
    _finish.earliest_finish(
        k, problem.gpus, order, *_world(problem, need, _tensors(problem), contended=contended), *state,
        gives, np.diff(problem.workload.dag.out_ptr),
        charge, np.zeros_like(state.link_free), np.zeros(1, np.int64), gaps, np.zeros(k, np.int64), gap_begin, gap_end,
    )  # fmt: skip
    return state.placement


def earliest_start(problem: Problem, decided: NDArray[np.int32], need: NDArray[np.int64] | None = None) -> Placement:
    """The ready node and device that can start first, again and again; slower devices count as later by the difference.

    Ties go to the larger bottom level, then to the longer node, then to the smaller number. `decided` and `need` as
    in `earliest_finish`; transfers do not wait for one another. O((n k + m) log n + m k).
    """
    dag, k = problem.workload.dag, problem.machine.k
    by_rank = np.lexsort((-problem.node_ns, -bottom_levels(problem))).astype(np.int32)
    rank = np.empty(dag.n, np.int64)
    rank[by_rank] = np.arange(dag.n)
    heap_key, heap_tie = np.empty((2, 2 * k * dag.n), np.int64)
    need = by_group(problem, footprint(problem) if need is None else need)
    tensor = np.zeros(dag.m, np.int64)  # who has which tensor is of no interest here
    state = _state(problem, decided, need, tensor, contended=False)
    _start.earliest_start(
        k, problem.gpus, rank, by_rank, np.diff(dag.in_ptr), dag.out_ptr, dag.out_edge, dag.dst,
        *_world(problem, need, tensor, contended=False), *state, np.zeros(1, np.int64),
        np.empty(dag.n, np.int32), np.zeros(1, np.int64), np.zeros(dag.n, np.int64),
        heap_key, heap_tie, np.zeros(2 * k, np.int64), problem.workload.time_ns[:, : problem.gpus].min(axis=1),
    )  # fmt: skip
    return state.placement


def _tensors(problem: Problem) -> NDArray[np.int64]:
    """[m] a number for the tensor each edge carries: edges of one producer and one size share it."""
    dag, slot = problem.workload.dag, problem.workload.edge_slot
    sizes = np.zeros(dag.n + 1, np.int64)
    np.maximum.at(sizes, dag.src + 1, slot + 1)
    return np.cumsum(sizes)[dag.src] + slot


class _State(NamedTuple):
    """Arguments the kernels fill."""

    decided: NDArray[np.int32]
    room: NDArray[np.int64]
    placement: Placement
    finish: NDArray[np.int64]
    sent: NDArray[np.int64]
    free_at: NDArray[np.int64]
    link_free: NDArray[np.int64]


def _state(
    problem: Problem, decided: NDArray[np.int32], need: NDArray[np.int64], tensor: NDArray[np.int64], *, contended: bool
) -> _State:
    """Nothing placed; the room that groups of known device leave."""
    n, k = problem.workload.dag.n, problem.machine.k
    room = problem.machine.memory_bytes.copy()
    known = decided >= 0
    np.subtract.at(room, decided[known], need[known])
    sent = np.zeros((int(tensor.max(initial=0)) + 1) * k, np.int64)
    links = len(problem.machine.links) if contended else 0
    placement, finish = np.zeros(n, np.int32), np.zeros(n, np.int64)
    return _State(decided, room, placement, finish, sent, np.zeros(k, np.int64), np.zeros(links, np.int64))


def _world(problem: Problem, need: NDArray[np.int64], tensor: NDArray[np.int64], *, contended: bool) -> tuple[Any, ...]:
    """Arguments the kernels read."""
    workload, machine, dag = problem.workload, problem.machine, problem.workload.dag
    return (
        dag.in_ptr, dag.in_edge, dag.src, tensor, workload.edge_bytes,
        machine.latency_ns.ravel(), machine.bytes_per_s.ravel(),
        machine.path_ptr if contended else np.zeros_like(machine.path_ptr), machine.path_link,
        workload.time_ns, problem.group, need,
    )  # fmt: skip
