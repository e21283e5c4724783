"""Everything on one device."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pardnn.problem import Placement, Problem
from pardnn.registry import partitioner


@partitioner("single", summary="everything on one GPU: the fastest that can hold it")
@dataclass(frozen=True)
class Single:
    """All nodes on the fastest GPU whose memory holds the step, else on GPU 0; pins stay. O(k) simulations at most."""

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """Try the GPUs from the fastest on; ties go to the smaller number."""
        n = problem.workload.dag.n
        speed = problem.workload.time_ns[:, : problem.gpus].sum(axis=0)
        for device in np.argsort(speed, kind="stable"):
            placement = problem.settle(np.full(n, device, np.int32))
            if (
                not problem.limited
                or (problem.peaks(problem.simulate(placement)) <= problem.machine.memory_bytes).all()
            ):
                return placement
        return problem.settle(np.zeros(n, np.int32))
