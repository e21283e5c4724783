"""Instances small enough for the oracle, drawn by number: the same number is the same instance."""

from __future__ import annotations

import numpy as np

from pardnn.problem import Problem
from scheduler.dag import Dag
from scheduler.machine import UNLIMITED, Machine
from scheduler.workload import Workload


def instance(seed: int) -> Problem:
    """A connected graph of 3 to 6 nodes, transfers about as long as nodes; one in two unlike cards, limits, pins."""
    rng = np.random.default_rng(seed)
    gpus = int(rng.integers(2, 4))
    n = int(rng.integers(3, 9 - gpus))
    pairs = [(int(rng.integers(0, v)), v) for v in range(1, n)]
    pairs += [(int(u), int(v)) for u, v in np.sort(rng.integers(0, n, (n, 2)), axis=1) if u < v]
    dag = Dag.from_edges(n, [u for u, _ in pairs], [v for _, v in pairs])
    time = np.repeat(rng.integers(0, 30, (n, 1)), gpus, axis=1)
    if rng.random() < 0.5:
        time = rng.integers(1, 4, gpus) * time + rng.integers(0, 3, (n, gpus))
    held = rng.integers(0, 20, n)
    workload = Workload.build(dag, time, rng.integers(0, 40, len(pairs)), held, rng.integers(0, 20, n), [0] * n)
    limit = UNLIMITED if rng.random() < 0.5 else int(held.sum()) // 2 + int(rng.integers(30, 90))
    machine = Machine.uniform(gpus, limit, int(rng.integers(0, 10)), 10**9)
    group = np.arange(n, dtype=np.int32)
    pin = np.full(n, -1, np.int32)
    if rng.random() < 0.5:
        group[-1] = group[0] if rng.random() < 0.5 else group[-1]
        group = np.unique(group, return_inverse=True)[1].astype(np.int32)
        pin[1] = int(rng.integers(0, gpus)) if n - 1 != group[0] else -1
    return Problem(workload, machine, group, pin, gpus)
