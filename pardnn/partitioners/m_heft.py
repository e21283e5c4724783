"""Memory-aware HEFT: memory is taken when a node is placed and given back when its readers are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pardnn.partitioners import _list
from pardnn.partitioners._memory import permanent
from pardnn.problem import Placement, Problem
from pardnn.registry import partitioner


@partitioner("m-heft", summary="HEFT that keeps account of each GPU's memory while it schedules", start=False)
@dataclass(frozen=True)
class MemoryHeft:
    """HEFT over the devices that still have room for a node's residents, output and scratch.

    Residents stay; output and scratch are given back once all readers of the node are placed, so that a device which is
    full now may take more later. Copies are not counted: the refiner that enforces the limit does. Without limits it is
    `heft`. O((n + m) k).
    """

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """List scheduling by bottom level."""
        scratch = problem.workload.temp_bytes * int(problem.limited)
        gives = problem.workload.output_bytes * int(problem.limited) + scratch
        need = permanent(problem) + scratch
        order = _list.by_level(problem)
        return problem.settle(_list.earliest_finish(problem, order, _list.pins(problem), need=need, gives=gives))
