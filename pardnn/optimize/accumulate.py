"""Gradient accumulation: the same step on a smaller batch several times, its gradients summed, one update at the end.

    run 1 -> add -> run 2 -> add -> ... -> last run -> add -> update          sums: held beside the variables

The ops before the gradients are there once a run; a run begins when all sums of the one before it are made, as it does
where a program calls one step after the other. Variables, and what comes behind the gradients, are there once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from pardnn.optimize.draft import Changed, Draft
from pardnn.problem import Problem
from scheduler.dag import Dag

Gradient = tuple[int, int]
"""The op that makes it, and its bytes, which are those of the edges that carry it."""


def repeated(dag: Dag, gradients: Sequence[Gradient], held: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """[n] the ops that each run has: what the gradients depend on, but for what is `held` all the time. O(n + m)."""
    found = np.zeros(dag.n, np.bool_)
    todo = [v for v, _ in gradients]
    found[todo] = True
    while todo:
        v = todo.pop()
        for u in dag.src[dag.in_edge[dag.in_ptr[v] : dag.in_ptr[v + 1]]].tolist():
            if not found[u] and not held[u]:
                found[u] = True
                todo.append(u)
    return found


def accumulate(
    problem: Problem, gradients: Sequence[Gradient], add_ns: Callable[[int], NDArray[np.int64]], number: int
) -> Changed:
    """The problem with so many runs. `add_ns` says what adding so many bytes takes, [k]; the gradients are sorted."""
    draft, work = Draft(problem), problem.workload
    inner = repeated(work.dag, gradients, work.resident_bytes > 0)
    tied = np.bincount(problem.group)[problem.group] > 1  # with a variable, say: so is the copy
    copied = [(v, v if tied[v] else None) for v in np.flatnonzero(inner).tolist()]
    runs = [{v: draft.copy(v, f"run_{i + 1}", mate) for v, mate in copied} for i in range(number - 1)]
    for run in runs:
        _wire(draft, problem, inner, run)
    own = {v: v for v in np.flatnonzero(inner).tolist()}
    starts = _starts(problem, inner)
    sums = [draft.add(v, "sum", np.zeros(work.k, np.int64), 0, held=size) for v, size in gradients]
    for run, after in pairwise([*runs, own]):
        barrier = draft.add(gradients[0][0], "next_run", np.zeros(work.k, np.int64), 0)
        for (v, size), total in zip(gradients, sums, strict=True):
            added = draft.add(v, "add", add_ns(size), 0, mate=total)
            draft.edge(total, added)
            draft.edge(run[v], added, size)
            draft.edge(added, barrier)
        for v in starts:
            draft.edge(barrier, after[v])
    for (v, size), total in zip(gradients, sums, strict=True):
        last = draft.add(v, "total", add_ns(size), size, mate=total)
        edges = _carrying(problem, inner, v, size)
        draft.turn(edges, last)
        draft.edge(total, last)
        draft.edge(v, last, size)
    return draft.changed


def _wire(draft: Draft, problem: Problem, inner: NDArray[np.bool_], run: dict[int, int]) -> None:
    """Lay the edges of a run as those of the original; what is not of the run is read where it is."""
    dag, sizes = problem.workload.dag, problem.workload.edge_bytes.tolist()
    for e in np.flatnonzero(inner[dag.dst]).tolist():
        u = int(dag.src[e])
        draft.edge(run.get(u, u), run[int(dag.dst[e])], sizes[e])


def _starts(problem: Problem, inner: NDArray[np.bool_]) -> list[int]:
    """The ops of a run that wait for no other of it."""
    dag = problem.workload.dag
    waits = np.zeros(dag.n, np.bool_)
    waits[dag.dst[inner[dag.src]]] = True
    found: list[int] = np.flatnonzero(inner & ~waits).tolist()
    return found


def _carrying(problem: Problem, inner: NDArray[np.bool_], v: int, size: int) -> list[int]:
    """The edges over which what comes behind the gradients reads this one."""
    dag, sizes = problem.workload.dag, problem.workload.edge_bytes
    out = dag.out_edge[dag.out_ptr[v] : dag.out_ptr[v + 1]].tolist()
    return [e for e in out if not inner[dag.dst[e]] and sizes[e] == size]
