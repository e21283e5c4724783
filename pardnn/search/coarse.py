"""A smaller problem that is much like a large one: runs of ops that belong together as one op each."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pardnn.problem import Placement, Problem
from pardnn.search.clusters import contract
from scheduler._jit import In32, In64, Out32, Out64, kernel
from scheduler.dag import Dag
from scheduler.workload import Workload


@dataclass(frozen=True)
class Coarse:
    """The smaller problem, and where the nodes of the large one are in it."""

    problem: Problem
    of: NDArray[np.int32]
    """[n] the node of the smaller problem."""

    @classmethod
    def made(cls, problem: Problem, nodes: int, label: Placement | None = None) -> Coarse:
        """Of not many more than so many nodes, the work shared out among them; differently labelled ones stay apart.

        A step of it takes about as long as one of the large problem, longer where a reader waits for what is in one
        node with the tensor it needs. O(n + m log m).
        """
        dag = problem.workload.dag
        kind = problem.pin if label is None else problem.pin * problem.machine.k + label
        of, level, work = np.full(dag.n, -1, np.int32), np.zeros(dag.n, np.int64), np.zeros(dag.n, np.int64)
        limit = int((problem.node_ns.sum()) // nodes)
        later = np.full(2 * dag.n, -1, np.int32)
        alone = np.full(dag.n, -1, np.int32)
        single = (np.diff(dag.in_ptr) == 0) & (np.diff(dag.out_ptr) == 1)
        alone[single] = dag.dst[dag.out_edge[dag.out_ptr[:-1][single]]]
        count = gather(
            dag.order, dag.in_ptr, dag.in_edge, dag.src, problem.comm_ns, problem.node_ns, kind.astype(np.int32), alone,
            limit, of, level, work, later,
        )  # fmt: skip
        return cls(_contracted(problem, of, count), of)

    def down(self, placement: Placement) -> Placement:
        """The smaller problem's placement like this one, where all that is in one node has one device."""
        device = np.zeros(self.problem.workload.dag.n, np.int32)
        device[self.of] = placement
        return device


def _contracted(problem: Problem, of: NDArray[np.int32], count: int) -> Problem:
    """Each set of nodes as one."""
    workload, dag = problem.workload, problem.workload.dag
    outer = of[dag.src] != of[dag.dst]
    tail, head = of[dag.src[outer]], of[dag.dst[outer]]
    tensor = dag.src[outer].astype(np.int64) * (int(workload.edge_slot.max(initial=0)) + 1) + workload.edge_slot[outer]
    _, first = np.unique(tensor * count + head, return_index=True)  # several readers in one node need it once
    tail, head, size, tensor = tail[first], head[first], workload.edge_bytes[outer][first], tensor[first]
    time_ns = np.zeros((count, problem.machine.k), np.int64)
    np.add.at(time_ns, of, workload.time_ns)
    resident, output = (np.bincount(of, c, count) for c in (workload.resident_bytes, workload.output_bytes))
    temp = np.zeros(count, np.int64)
    np.maximum.at(temp, of, workload.temp_bytes)
    size = _told_apart(tail, tensor, size)
    small = Workload.build(Dag.from_edges(count, tail, head), time_ns, size, resident, output, temp)
    pin = np.full(count, -1, np.int32)
    pin[of] = problem.pin
    return replace(problem, workload=small, group=_groups(problem, of, count), pin=pin)


def _told_apart(tail: NDArray[np.int32], tensor: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sizes a few bytes larger, so that two tensors of one producer never have the same."""
    _, number = np.unique(tensor, return_inverse=True)
    number = number.ravel()
    least = np.full(int(tail.max(initial=0)) + 1, len(tensor))
    np.minimum.at(least, tail, number)
    return np.where(size > 0, size + number - least[tail], 0)


def _groups(problem: Problem, of: NDArray[np.int32], count: int) -> NDArray[np.int32]:
    """[count] the groups that are united by what their members are in."""
    parent = np.arange(count, dtype=np.int32)
    member = of[problem.group_node]
    linked = np.diff(problem.group[problem.group_node]) == 0
    tail, head = member[:-1][linked], member[1:][linked]
    contract(np.ascontiguousarray(tail), np.ascontiguousarray(head), 1, np.zeros(count, np.int64), parent)
    return np.unique(parent, return_inverse=True)[1].ravel().astype(np.int32)


@kernel
def gather(
    order: In32, in_ptr: In64, in_edge: In32, src: In32, edge_ns: In64, node_ns: In64, kind: In32, alone: In32,
    limit: int, of: Out32, level: Out64, work: Out64, later: Out32,
) -> int:  # fmt: skip
    """Fill `of`, the number of each node's set; returns how many sets there are.

    Sets have levels; an edge from set to set leads to a higher level, so that there are no cycles: a node may join a
    set whose level is above that of all sets it reads from, or the only one of these that is the highest. `alone`: the
    reader of what reads nothing and is read by it alone, else -1; it goes with the reader.
    """
    count = 0
    for at in range(len(order)):
        v = order[at]
        if alone[v] >= 0 and kind[alone[v]] == kind[v]:
            continue
        top, dearest, first = -1, -1, -1
        for i in range(in_ptr[v], in_ptr[v + 1]):
            c = of[src[in_edge[i]]]
            if c >= 0:
                top = max(top, level[c])
                if edge_ns[in_edge[i]] > dearest:
                    dearest, first = edge_ns[in_edge[i]], c
        joined, highest, several = -1, -1, 0
        for i in range(in_ptr[v], in_ptr[v + 1]):
            c = of[src[in_edge[i]]]
            if c >= 0 and level[c] == top and c != highest:
                several += 1
                highest = c
        if several == 1 and work[highest] + node_ns[v] <= limit and kind[v] == later[len(order) + highest]:
            joined = highest
        elif first >= 0:
            c = later[first]
            if c >= 0 and level[c] > top and work[c] + node_ns[v] <= limit and kind[v] == later[len(order) + c]:
                joined = c
        if joined < 0:
            joined = count
            count += 1
            level[joined] = top + 1
            later[len(order) + joined] = kind[v]
            for i in range(in_ptr[v], in_ptr[v + 1]):
                c = of[src[in_edge[i]]]
                if c >= 0:
                    later[c] = joined
        of[v] = joined
        work[joined] += node_ns[v]
        for i in range(in_ptr[v], in_ptr[v + 1]):
            u = src[in_edge[i]]
            if of[u] < 0:
                of[u] = joined
                work[joined] += node_ns[u]
    return count
