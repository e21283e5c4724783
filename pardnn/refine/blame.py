"""Who is to blame for the makespan: the chain of waits that ends with the last node."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.problem import Problem
from scheduler.schedule import Schedule


@dataclass(frozen=True, eq=False)
class Waits:
    """The waits along one critical chain, c of them: what each node waited for, and how long.

    `sent[i]` is true where node[i] waited for a transfer from cause[i] on another device, false where it waited for
    its own device, which was busy with cause[i].
    """

    node: NDArray[np.int32]
    cause: NDArray[np.int32]
    lost_ns: NDArray[np.int64]
    sent: NDArray[np.bool_]


def waits(problem: Problem, schedule: Schedule) -> Waits:
    """The waits on the way back from the node that ends last, latest first. O(n log n + m).

    Each node on the chain starts when its last input arrives, or when its device's previous node ends; the chain goes
    on with that one. Time spent computing is nobody's fault; a wait is the time a transfer took, or the time since the
    node was ready.
    """
    dag, start, finish = problem.workload.dag, schedule.start_ns, schedule.finish_ns
    arrival = finish[dag.src]
    remote = schedule.edge_transfer >= 0
    arrival[remote] = schedule.transfer_finish_ns[schedule.edge_transfer[remote]]
    ready = np.zeros(dag.n, np.int64)
    np.maximum.at(ready, dag.dst, arrival)
    before = _previous(problem, schedule)
    rows: list[tuple[int, int, int, bool]] = []
    v = int(np.argmax(finish)) if dag.n else -1
    while v >= 0:
        if start[v] > ready[v]:
            u = int(before[v])
            rows.append((v, u, int(start[v] - ready[v]), False))
        else:
            edges = dag.in_edge[dag.in_ptr[v] : dag.in_ptr[v + 1]]
            if not len(edges):
                break
            e = edges[int(np.argmax(arrival[edges]))]
            u = int(dag.src[e])
            if remote[e]:
                rows.append((v, u, int(arrival[e] - finish[u]), True))
        v = u
    node, cause, lost, sent = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Waits(
        np.array(node, np.int32), np.array(cause, np.int32), np.array(lost, np.int64), np.array(sent, np.bool_)
    )


def _previous(problem: Problem, schedule: Schedule) -> NDArray[np.int32]:
    """[n] the node that ran before on the same device, -1 for the first."""
    # Nodes of no length share their moment with others: the topological position keeps the chain from circling.
    position = np.empty(len(schedule.placement), np.int32)
    position[problem.workload.dag.order] = np.arange(len(position), dtype=np.int32)
    by_start = np.lexsort((position, schedule.finish_ns, schedule.start_ns, schedule.placement)).astype(np.int32)
    before = np.full(len(by_start), -1, np.int32)
    same = schedule.placement[by_start[1:]] == schedule.placement[by_start[:-1]]
    before[by_start[1:][same]] = by_start[:-1][same]
    return before
