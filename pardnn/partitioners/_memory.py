"""What a partitioner reckons with where memory is limited: an estimate; a refiner keeps the exact limit afterwards."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pardnn.problem import Problem


def footprint(problem: Problem) -> NDArray[np.int64]:
    """[n] bytes each node will occupy: what it holds all the time, and its share, by output, of what comes and goes.

    What comes and goes is the most that outputs and scratch hold at once if one device runs the nodes in topological
    order. Zero where memory is not limited. O(n + m).
    """
    workload = problem.workload
    if not problem.limited:
        return np.zeros(workload.dag.n, np.int64)
    share = _passing_peak(problem) / max(1, int(workload.output_bytes.sum()))
    held: NDArray[np.int64] = workload.resident_bytes + np.ceil(workload.output_bytes * share).astype(np.int64)
    return held


def permanent(problem: Problem) -> NDArray[np.int64]:
    """[n] bytes each node occupies if nothing is freed within the step; zero where memory is not limited."""
    return (problem.workload.resident_bytes + problem.workload.output_bytes) * int(problem.limited)


def _passing_peak(problem: Problem) -> int:
    """Most bytes of outputs, each held until its last reader has run, and scratch at once, in topological order."""
    workload, dag = problem.workload, problem.workload.dag
    turn = np.empty(dag.n, np.int64)
    turn[dag.order] = np.arange(dag.n)
    last = turn.copy()
    np.maximum.at(last, dag.src, turn[dag.dst])
    change = np.zeros(dag.n + 1, np.int64)
    change[turn] = workload.output_bytes
    np.subtract.at(change, last + 1, workload.output_bytes)
    return int((np.cumsum(change)[: dag.n] + workload.temp_bytes[dag.order]).max(initial=0))


def by_group(problem: Problem, column: NDArray[np.int64]) -> NDArray[np.int64]:
    """[g] sum of a node column over each group."""
    total = np.zeros(problem.groups, np.int64)
    np.add.at(total, problem.group, column)
    return total
