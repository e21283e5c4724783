"""METIS: equal work on each device, few bytes between them."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.partitioners._memory import by_group
from pardnn.partitioners._speed import alike, speeds
from pardnn.problem import Placement, Problem
from pardnn.registry import partitioner
from scheduler._jit import In32, In64, Out64, inner_kernel, kernel
from scheduler.dag import frozen

Ints = NDArray[np.int64]
TOTAL = 2**30
"""Weights are scaled down to this sum, so that METIS cannot overflow, whatever its integers are."""


@partitioner("metis", summary="balanced minimum cut of the graph, directions and time ignored (METIS)")
@dataclass(frozen=True)
class Metis:
    """A k-way cut of the undirected graph of the groups; an edge weighs what its transfer takes.

    A vertex weighs its work and, once more in all, its number of ops: balance of both has been better than either, as
    what a device waits for is not in the weights. O((n + m) log m).
    Source: [1] Karypis, Kumar, "A fast and high quality multilevel scheme for partitioning irregular graphs", SIAM J.
    Sci. Comput. 1998, doi 10.1137/S1064827595287997, as pymetis. METIS's own errors end in a crash, a message on stdout
    or everything in one part; so all weights are made positive, their sums kept far from overflow, edges symmetric,
    parallel ones added up, loops dropped, and no more parts asked for than there are vertices.
    """

    imbalance: int = 100
    """How much heavier than the mean the heaviest part may be, in thousandths."""

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """Cut into one part per GPU; what is pinned moves to its device afterwards."""
        return problem.settle(cut(problem, problem.gpus, self.imbalance, None if alike(problem) else speeds(problem)))


def cut(problem: Problem, parts: int, imbalance: int, shares: NDArray[np.float64] | None = None) -> NDArray[np.int32]:
    """[n] part of each node, groups whole, at most `parts`: contract, scale, cut, expand. What is pinned weighs 0.

    Parts are equal, or in proportion to `shares` [parts].
    """
    parts = min(parts, problem.groups)
    if parts < 2:
        return np.zeros(problem.workload.dag.n, np.int32)
    ptr, adjacent, transfer = _contract(problem)
    work = np.where(problem.pin < 0, problem.node_ns + int(problem.node_ns.mean()), 0)
    part = _metis(parts, ptr, adjacent, _scaled(by_group(problem, work)), _scaled(transfer), imbalance, shares)
    return part[problem.group]


def _contract(problem: Problem) -> tuple[Ints, Ints, Ints]:
    """(ptr [g + 1], neighbour, weight) of the undirected graph of the groups; each edge stands in both rows."""
    dag, g = problem.workload.dag, problem.groups
    begin = np.zeros(g + 1, np.int64)
    np.cumsum(np.bincount(problem.group, np.diff(dag.in_ptr) + np.diff(dag.out_ptr), g), out=begin[1:])
    adjacent, transfer = np.empty((2, 2 * dag.m), np.int64)
    ptr = np.zeros(g + 1, np.int64)
    adjacency(
        frozen(problem.group, np.int32), problem.group_ptr, problem.group_node, dag.src, dag.dst,
        dag.in_ptr, dag.in_edge, dag.out_ptr, dag.out_edge, frozen(problem.comm_ns, np.int64),
        frozen(begin, np.int64), begin[:-1].copy(), ptr, adjacent, transfer,
    )  # fmt: skip
    return ptr, adjacent[: ptr[g]], transfer[: ptr[g]]


@inner_kernel
def link(a: int, b: int, weight: int, begin: In64, end: Out64, adjacent: Out64, transfer: Out64) -> None:
    """Add b to the row of a; rows are filled by rising b, so that it stands last if it is there already."""
    if a != b:
        if end[a] > begin[a] and adjacent[end[a] - 1] == b:
            transfer[end[a] - 1] += weight
        else:
            adjacent[end[a]] = b
            transfer[end[a]] = weight
            end[a] += 1


@kernel
def adjacency(
    group: In32, group_ptr: In64, group_node: In32, src: In32, dst: In32, in_ptr: In64, in_edge: In32, out_ptr: In64,
    out_edge: In32, edge_ns: In64, begin: In64, end: Out64, ptr: Out64, adjacent: Out64, transfer: Out64,
) -> None:  # fmt: skip
    """Rows with room from begin[a] on are filled up to end[a], then moved together to where ptr says."""
    for b in range(len(end)):
        for j in range(group_ptr[b], group_ptr[b + 1]):
            v = group_node[j]
            for i in range(in_ptr[v], in_ptr[v + 1]):
                link(group[src[in_edge[i]]], b, edge_ns[in_edge[i]], begin, end, adjacent, transfer)
            for i in range(out_ptr[v], out_ptr[v + 1]):
                link(group[dst[out_edge[i]]], b, edge_ns[out_edge[i]], begin, end, adjacent, transfer)
    for a in range(len(end)):
        ptr[a + 1] = ptr[a]
        for i in range(begin[a], end[a]):
            adjacent[ptr[a + 1]] = adjacent[i]
            transfer[ptr[a + 1]] = transfer[i]
            ptr[a + 1] += 1


def _scaled(weight: Ints) -> Ints:
    """Whole numbers from 1 on, in proportion, with a sum of at most TOTAL + their number."""
    total = int(weight.sum(dtype=np.float64))
    if total > TOTAL:
        weight = (weight * (TOTAL / total)).astype(np.int64)
    return weight + 1


def _metis(
    parts: int,
    ptr: Ints,
    adjacent: Ints,
    work: Ints,
    transfer: Ints,
    imbalance: int,
    shares: NDArray[np.float64] | None,
) -> NDArray[np.int32]:
    """[g] the part of each vertex; the same for the same input."""
    import pymetis

    options = pymetis.Options(seed=0, ufactor=imbalance)
    graph = pymetis.CSRAdjacency(ptr, adjacent)
    targets = None if shares is None or len(shares) != parts else (shares / shares.sum()).tolist()
    with _silent_stdout():
        _, part = pymetis.part_graph(
            parts, graph, vweights=work, eweights=transfer, tpwgts=targets, options=options, recursive=False
        )
    return np.array(part, np.int32)


@contextmanager
def _silent_stdout() -> Iterator[None]:
    """Drop what C code prints: METIS writes its messages to file descriptor 1, where `--json` goes."""
    flush = ctypes.CDLL(None).fflush
    sys.stdout.flush()
    flush(None)
    saved, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        flush(None)
        os.dup2(saved, 1)
        os.close(saved)
        os.close(nowhere)
