"""Several steps in a row of which none waits for the whole of the one before: what is needed first is sent first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pardnn.distribute.expand import JOINS, Expanded, Replica
from scheduler.dag import Dag
from scheduler.priority import Priority
from scheduler.schedule import Schedule
from scheduler.simulate import simulate
from scheduler.workload import Workload

STEPS = 4
"""The first differs from all others; the last two are compared."""


def period_ns(step: Expanded, replica: Replica, alone: Schedule) -> tuple[int, Schedule]:
    """How long a step takes in a row of them, and the schedule of that row, task t of step s being s (n + tasks) + t.

    A step's ops start when the backward pass of the step before is over and the weights they read are updated. On links
    and devices earlier steps go first; then gradients of weights that the next step reads first; ops in the order that
    they have in a step of their own. O((n + m) log n).
    """
    gradients, each = replica.gradients, step.workload.dag.n
    work = step.workload
    offset = np.arange(STEPS)[:, None] * each
    joins = STEPS * each + np.arange(STEPS - 1)
    roots = np.flatnonzero(np.diff(replica.workload.dag.in_ptr) == 0)
    updated, reading = gradients.again.T
    edges = [((work.dag.src + offset).ravel(), (work.dag.dst + offset).ravel())]
    for s, join in enumerate(joins.tolist()):
        here, following = s * each, (s + 1) * each
        edges += [
            (gradients.source + here, np.full(len(gradients.source), join)),
            (np.full(len(roots), join), roots + following),
            (updated + here, reading + following),
        ]
    src, dst = (np.concatenate(ends) for ends in zip(*edges, strict=True))
    dag = Dag.from_edges(STEPS * each + STEPS - 1, src, dst)
    sizes = np.concatenate([np.tile(work.edge_bytes, STEPS), np.zeros(len(src) - STEPS * work.dag.m, np.int64)])
    time_ns = np.concatenate([np.tile(work.time_ns, (STEPS, 1)), np.zeros((STEPS - 1, work.k), np.int64)])
    nothing = np.zeros(dag.n, np.int64)
    placement = np.concatenate([np.tile(step.placement, STEPS), np.full(STEPS - 1, step.machine.devices.index(JOINS))])
    ran = simulate(
        Workload.build(dag, time_ns, sizes, nothing, nothing, nothing), step.machine, placement.astype(np.int32),
        _urgency(step, replica, alone), replica.contention,
    )  # fmt: skip
    over = [ran.finish_ns[gradients.source + s * each].max() for s in range(STEPS)]
    return int(over[-1] - over[-2]), ran


def _urgency(step: Expanded, replica: Replica, alone: Schedule) -> Priority:
    """The order that is described above."""
    n, each, again = step.n, step.workload.dag.n, replica.gradients.again
    place = np.empty(n, np.int64)
    place[np.lexsort((np.arange(n), alone.start_ns))] = np.arange(n)
    first = np.full(n, n, np.int64)
    np.minimum.at(first, again[:, 0], place[again[:, 1]])
    _before(replica.workload.dag, first)
    rank = np.concatenate([place, np.zeros(each - n, np.int64)])
    wanted = np.full(len(replica.gradients.source), n, np.int64)
    np.minimum.at(wanted, replica.gradients.of_reader, first[replica.gradients.reader])
    for bucket in step.buckets:
        rank[list(bucket.tasks)] = wanted[list(bucket.gradients)].min()
    steps = (rank + np.arange(STEPS)[:, None] * (2 * each)).ravel()
    return Priority(np.concatenate([steps, np.zeros(STEPS - 1, np.int64)]), by_arrival=False)


def _before(dag: Dag, first: NDArray[np.int64]) -> None:
    """Let every op be as urgent as the most urgent one after it. O(n + m)."""
    out_ptr, out_edge, dst = dag.out_ptr.tolist(), dag.out_edge.tolist(), dag.dst.tolist()
    values = first.tolist()
    for v in dag.order[::-1].tolist():
        for e in out_edge[out_ptr[v] : out_ptr[v + 1]]:
            values[v] = min(values[v], values[dst[e]])
    first[:] = values
