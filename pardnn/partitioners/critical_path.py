"""The critical path on one device, the rest where it ends earliest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.partitioners import _list
from pardnn.partitioners._memory import by_group, footprint
from pardnn.problem import Placement, Problem
from pardnn.registry import partitioner


@partitioner("critical-path", summary="the heaviest path on one GPU, the rest spread by list scheduling")
@dataclass(frozen=True)
class CriticalPath:
    """A heaviest path, transfers counted, on the fastest GPU; the rest by falling bottom level where it ends first.

    Source: [1] Mayer, Mayer, Laich, "The TensorFlow partitioning and scheduling problem: it's the critical path!", DIDL
    2017, doi 10.1145/3154842.3154843. Differs from [1]: idle intervals are used, as in HEFT; of the path only as
    much is kept together as the GPU's memory is estimated to hold. O((n + m) k + n log n).
    """

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """Decide the path's groups, then schedule the list."""
        decided = _list.pins(problem)
        fastest = int(problem.workload.time_ns[:, : problem.gpus].sum(axis=0).argmin())
        need = by_group(problem, footprint(problem))
        on_path = problem.group[heaviest_path(problem)]
        on_path = on_path[np.sort(np.unique(on_path, return_index=True)[1])]
        on_path = on_path[decided[on_path] < 0]
        decided[on_path[np.cumsum(need[on_path]) <= problem.machine.memory_bytes[fastest]]] = fastest
        return problem.settle(_list.earliest_finish(problem, _list.by_level(problem), decided))


def heaviest_path(problem: Problem) -> NDArray[np.int64]:
    """The nodes of one path of the largest weight, nodes and transfers counted. O(n + m).

    Ties go to the smaller first node, then to the earlier edge.
    """
    dag, level = problem.workload.dag, _list.bottom_levels(problem)
    if not dag.n:
        return np.zeros(0, np.int64)
    tight = np.flatnonzero(level[dag.src] == problem.node_ns[dag.src] + problem.comm_ns + level[dag.dst])[::-1]
    follower = np.full(dag.n, -1)
    follower[dag.src[tight]] = dag.dst[tight]  # of several the last assignment stays: the earliest edge
    path = [int(level.argmax())]
    while (after := int(follower[path[-1]])) >= 0:
        path.append(after)
    return np.array(path)
