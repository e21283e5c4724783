"""A case: what a placement may do, in the smallest times it can get, as the bounds see it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scheduler.bounds.reach import APART, TOGETHER
from scheduler.bounds.share import BARRED, Share, shares
from scheduler.dag import Dag
from scheduler.machine import Machine, link_ns
from scheduler.workload import Workload

Times = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Case:
    """n nodes and m edges, with what is known before anything is placed."""

    dag: Dag
    node_ns: Times
    """[n] time on the fastest device allowed."""
    edge_ns: Times
    """[m] time of the transfer over the fastest link between two devices allowed."""
    tie: NDArray[np.int32]
    """[m] TOGETHER where the ends must share a device, APART where they cannot, else 0."""
    group: NDArray[np.int32]
    """[n] what shares a device, dense from 0."""
    sets: NDArray[np.bool_]
    """[s, k] the different sets of devices allowed."""
    which: NDArray[np.int64]
    """[n] the set of each node."""
    resident: Times
    """[n] bytes."""
    room: int
    """The largest memory of a device."""
    shares: tuple[Share, ...]
    """The ways to add up work."""
    k: int
    """Devices that nodes may run on."""

    @classmethod
    def of(
        cls, workload: Workload, machine: Machine, allowed: NDArray[np.bool_], group: NDArray[np.int32] | None = None
    ) -> Case:
        """O((n + m) k + n log n) for few sets of allowed devices."""
        dag, times = workload.dag, workload.time_ns
        together = np.arange(dag.n, dtype=np.int32) if group is None else group
        sets, which = _sets(allowed)
        some = sets.any(axis=0)
        room = int(machine.memory_bytes[some].max(initial=0))
        edge_ns, tie = _edges(workload, machine, sets, which)
        tie[together[dag.src] == together[dag.dst]] = TOGETHER
        return cls(
            dag, np.where(sets[which], times, BARRED).min(axis=1), edge_ns, tie, together, sets, which,
            workload.resident_bytes, room, tuple(shares(times, sets, which)), int(some.sum()),
        )  # fmt: skip


def _sets(allowed: NDArray[np.bool_]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """The different rows [s, k] and which of them each row is [n]."""
    if allowed.shape[1] > 62:
        sets, which = np.unique(allowed, axis=0, return_inverse=True)
        return sets, which.ravel()
    _, first, which = np.unique(allowed @ (1 << np.arange(allowed.shape[1])), return_index=True, return_inverse=True)
    return allowed[first], which.ravel()


def _edges(
    workload: Workload, machine: Machine, sets: NDArray[np.bool_], which: NDArray[np.int64]
) -> tuple[Times, NDArray[np.int32]]:
    """The smallest time of each edge's transfer [m], and the ties that the sets alone make [m]."""
    dag, s = workload.dag, len(sets)
    edge_ns, tie = np.zeros(dag.m, np.int64), np.zeros(dag.m, np.int32)
    pair = which[dag.src] * s + which[dag.dst]
    for both in np.unique(pair).tolist():
        here = np.flatnonzero(pair == both)
        senders, readers = sets[both // s], sets[both % s]
        joined = np.outer(senders, readers)
        np.fill_diagonal(joined, val=False)
        if not joined.any():
            tie[here] = TOGETHER
            continue
        if not (senders & readers).any():
            tie[here] = APART
        links = np.unique(np.stack([machine.latency_ns[joined], machine.bytes_per_s[joined]], axis=1), axis=0)
        size = workload.edge_bytes[here]
        edge_ns[here] = np.min([link_ns(size, int(latency), int(rate)) for latency, rate in links], axis=0)
    return edge_ns, tie
