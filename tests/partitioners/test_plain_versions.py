"""HEFT and ETF against the textbook: every pair tried, every idle interval searched."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import given

from pardnn.partitioners import _list
from pardnn.partitioners.etf import Etf
from pardnn.partitioners.heft import Heft
from pardnn.problem import Problem
from scheduler.machine import link_ns
from tests import strategies

RNG = np.random.default_rng(0)


def arrival(problem: Problem, v: int, d: int, placement: Sequence[int], finish: Sequence[int]) -> int:
    """When v's inputs are on device d."""
    dag, machine, moments = problem.workload.dag, problem.machine, [0]
    for e in dag.in_edge[dag.in_ptr[v] : dag.in_ptr[v + 1]]:
        u, nbytes = dag.src[e], problem.workload.edge_bytes[e : e + 1]
        here = placement[u]
        away = here != d
        sent = link_ns(nbytes, int(machine.latency_ns[here, d]), int(machine.bytes_per_s[here, d])) if away else [0]
        moments.append(finish[u] + int(sent[0]))
    return max(moments)


def first_fit(busy: list[tuple[int, int]], earliest: int, length: int) -> int:
    """The first moment from `earliest` on with `length` free among busy intervals."""
    begin = earliest
    for start, end in sorted(busy):
        if begin + length <= start:
            break
        begin = max(begin, end)
    return begin


def plain_heft(problem: Problem) -> list[int]:
    """Each node, by falling level, where it ends first."""
    n = problem.workload.dag.n
    placement, finish = [0] * n, [0] * n
    busy: list[list[tuple[int, int]]] = [[] for _ in range(problem.gpus)]
    for v in _list.by_level(problem).tolist():
        tried = []
        for d in range(problem.gpus):
            time_ns = int(problem.workload.time_ns[v, d])
            moment = arrival(problem, v, d, placement, finish)
            tried.append((first_fit(busy[d], moment, time_ns) + time_ns, moment, d))
        finish[v], _, placement[v] = min(tried)
        begin = finish[v] - int(problem.workload.time_ns[v, placement[v]])
        if finish[v] > begin:
            busy[placement[v]].append((begin, finish[v]))
    return placement


def plain_etf(problem: Problem) -> list[int]:
    """Of all ready nodes and devices the earliest start."""
    dag = problem.workload.dag
    level = _list.bottom_levels(problem)
    placement, finish, free_at = [-1] * dag.n, [0] * dag.n, [0] * problem.gpus
    while -1 in placement:
        ready = [
            v
            for v in range(dag.n)
            if placement[v] < 0
            and all(placement[u] >= 0 for u in dag.src[dag.in_edge[dag.in_ptr[v] : dag.in_ptr[v + 1]]])
        ]
        begin, _, _, v, d = min(
            (max(free_at[d], arrival(problem, v, d, placement, finish)), -level[v], -problem.node_ns[v], v, d)
            for v in ready
            for d in range(problem.gpus)
        )
        placement[v] = d
        finish[v] = free_at[d] = begin + int(problem.workload.time_ns[v, d])
    return placement


@given(strategies.problems(bound=False))
def test_heft_equals_the_plain_version(problem: Problem) -> None:
    """Every node takes time here: one that takes none fits between any two others, so that ties abound."""
    workload = replace(problem.workload, time_ns=problem.workload.time_ns + 1)
    problem = replace(problem, workload=workload)
    assert Heft()(problem, RNG).tolist() == plain_heft(problem)


@given(strategies.problems(bound=False))
def test_etf_equals_the_plain_version(problem: Problem) -> None:
    assert Etf()(problem, RNG).tolist() == plain_etf(problem)
