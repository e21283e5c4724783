"""Unlike cards: how fast each is, and a placement that was made without regard to that put right."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pardnn.partitioners._best import fastest
from pardnn.problem import Placement, Problem


def speeds(problem: Problem) -> NDArray[np.float64]:
    """[gpus] how many times as fast as the slowest GPU each one is with all the work; 1 for cards alike."""
    time = problem.workload.time_ns[:, : problem.gpus].sum(axis=0, dtype=np.float64)
    rate: NDArray[np.float64] = np.maximum(1, time).max() / np.maximum(1, time)
    return rate


def alike(problem: Problem) -> bool:
    """Whether all GPUs take the same time for each node."""
    time = problem.workload.time_ns[:, : problem.gpus]
    return bool((time == time[:, :1]).all())


def heaviest_on_fastest(problem: Problem, placement: Placement) -> Placement:
    """The placement [n], or the same parts on other GPUs, the one with most work on the fastest: the shorter step.

    Unchanged for cards alike. O(n) and two simulations.
    """
    gpus = problem.gpus
    if alike(problem):
        return placement
    work = np.zeros(problem.machine.k, np.int64)
    np.add.at(work, placement, problem.node_ns)
    number = np.arange(problem.machine.k, dtype=np.int32)
    number[np.argsort(-work[:gpus], kind="stable")] = np.argsort(-speeds(problem), kind="stable")
    return fastest(problem, (placement, number[placement]))
