"""What a partitioner reckons with where memory is limited: an estimate; a refiner keeps the exact limit afterwards."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pardnn.problem import Problem
from scheduler.memory import peaks
from scheduler.simulate import simulate


def footprint(problem: Problem) -> NDArray[np.int64]:
    """[n] bytes each node will occupy: its resident bytes and its share, by output, of what else one device would hold.

    The share is that of the peak of a step on a single device. Zero where memory is not limited.
    """
    workload, machine = problem.workload, problem.machine
    if not problem.limited:
        return np.zeros(workload.dag.n, np.int64)
    together = np.zeros(workload.dag.n, np.int32)
    schedule = simulate(workload, machine, together, problem.priority, problem.contention)
    passing = int(peaks(workload, machine, schedule)[0]) - int(workload.resident_bytes.sum())
    share = passing / max(1, int(workload.output_bytes.sum()))
    held: NDArray[np.int64] = workload.resident_bytes + np.ceil(workload.output_bytes * share).astype(np.int64)
    return held


def by_group(problem: Problem, column: NDArray[np.int64]) -> NDArray[np.int64]:
    """[g] sum of a node column over each group."""
    total = np.zeros(problem.groups, np.int64)
    np.add.at(total, problem.group, column)
    return total
