"""Steps with a forward and a backward pass, for tests of what changes them."""

from __future__ import annotations

from collections import Counter

import numpy as np

from pardnn.optimize.draft import Changed
from pardnn.problem import Placement, Problem
from tests.factories import Sketch, drawn


def ladder(layers: int = 6, size: int = 10) -> Sketch:
    """f0 -> f1 -> ... -> b1 -> b0, and each b reads its f: every f's output waits for the backward pass."""
    last = layers - 1
    words = [f"f{i}=4" for i in range(layers)] + [f"b{i}=4" for i in range(layers)]
    words += [f"f{i}-f{i + 1}:{size}" for i in range(last)] + [f"b{i + 1}-b{i}:{size}" for i in range(last)]
    words += [f"f{i}-b{i}:{size}" for i in range(layers)]
    return drawn(" ".join(words))


def together(problem: Problem) -> Placement:
    """[n] all on GPU 0, but for what is bound elsewhere."""
    return np.where(problem.pin < 0, 0, problem.pin).astype(np.int32)


def measure(problem: Problem) -> tuple[int, int]:
    """(makespan, peak) of one step on GPU 0."""
    schedule = problem.simulate(together(problem))
    return schedule.makespan_ns, int(problem.peaks(schedule)[0])


def reads(changed: Changed, before: Problem) -> dict[int, Counter[tuple[int, int]]]:
    """What each op reads, as (the op that it comes from at first, bytes); control edges left out."""
    dag, sizes = changed.problem.workload.dag, changed.problem.workload.edge_bytes.tolist()
    first = [*range(before.workload.dag.n), *changed.origin]
    found: dict[int, Counter[tuple[int, int]]] = {v: Counter() for v in range(dag.n)}
    for u, v, size in zip(dag.src.tolist(), dag.dst.tolist(), sizes, strict=True):
        if size:
            found[v][first[u], size] += 1
    return found
