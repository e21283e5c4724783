"""Random workloads and problems for property tests, small enough to shrink to something a person can read."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from pardnn.problem import Placement, Problem
from scheduler.dag import Dag
from scheduler.machine import UNLIMITED, Machine
from scheduler.simulate import CONTENTION
from scheduler.workload import Workload

Draw = st.DrawFn


@st.composite
def dags(draw: Draw, min_nodes: int = 1, max_nodes: int = 12) -> Dag:
    """Acyclic graphs; numbers are no topological order, edges may be parallel, parts may be unconnected."""
    n = draw(st.integers(min_nodes, max_nodes))
    number = draw(st.permutations(range(n)))
    pairs = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1])
    edges = draw(st.lists(pairs, max_size=3 * n)) if n > 1 else []
    ordered = [(number[min(p)], number[max(p)]) for p in edges]
    return Dag.from_edges(n, [s for s, _ in ordered], [d for _, d in ordered])


@st.composite
def workloads(draw: Draw, k: int = 2, min_nodes: int = 1, max_nodes: int = 12, alike: bool = True) -> Workload:
    """Costs with many ties and zeros; with `alike=False` each device has times of its own."""
    dag = draw(dags(min_nodes, max_nodes))
    time, size = st.sampled_from((0, 1, 1, 2, 3, 5, 10, 30)), st.sampled_from((0, 0, 1, 1, 2, 4, 9, 40))

    def column(values: st.SearchStrategy[int], length: int) -> list[int]:
        return draw(st.lists(values, min_size=length, max_size=length))

    if alike:
        times = np.repeat(np.array(column(time, dag.n), np.int64)[:, None], k, axis=1)
    else:
        times = np.array(column(time, dag.n * k), np.int64).reshape(dag.n, k)
    return Workload.build(dag, times, column(size, dag.m), *(column(size, dag.n) for _ in range(3)))


@st.composite
def machines(draw: Draw, k: int = 2, limit: int = UNLIMITED, alike: bool = True) -> Machine:
    """Devices with ports and a rate of about one byte a nanosecond; with `alike=False` each pair has its own link."""
    latency, rate = st.integers(0, 5), st.sampled_from((250_000_000, 10**9, 3 * 10**9))
    names = tuple(f"/device:GPU:{i}" for i in range(k))
    if alike:
        return Machine.ported(names, limit, draw(latency), draw(rate))

    def matrix(values: st.SearchStrategy[int]) -> list[list[int]]:
        return draw(st.lists(st.lists(values, min_size=k, max_size=k), min_size=k, max_size=k))

    return Machine.ported(names, limit, matrix(latency), matrix(rate))


@st.composite
def placements(draw: Draw, n: int, k: int) -> Placement:
    """[n] any device for any node."""
    return np.array(draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)), np.int32)


@st.composite
def problems(draw: Draw, max_nodes: int = 12, max_gpus: int = 3, limited: bool = False, bound: bool = True) -> Problem:
    """A workload on one to `max_gpus` GPUs and a host CPU.

    bound: with colocation groups and pins, some of them to the host. limited: with a memory limit between a quarter of
    what one device would need for everything and a little more than that, so some have no solution.
    """
    gpus = draw(st.integers(1, max_gpus))
    workload = draw(workloads(gpus + 1, max_nodes=max_nodes))
    n = workload.dag.n
    group, pin = np.arange(n, dtype=np.int32), np.full(n, -1, np.int32)
    if bound:
        label = draw(st.lists(st.integers(0, 2 * n), min_size=n, max_size=n))
        group = np.array([sorted(set(label)).index(x) for x in label], np.int32)
        free = st.sampled_from((*[-1] * 4, *range(gpus + 1)))
        pin = np.array(draw(st.lists(free, min_size=n, max_size=n)), np.int32)[group]
    limit = UNLIMITED
    if limited:
        columns = (workload.resident_bytes, workload.output_bytes, workload.temp_bytes)
        everything = int(sum(int(column.sum()) for column in columns))
        limit = draw(st.integers(everything // 4, everything + everything // 8))
    names = (*(f"/device:GPU:{i}" for i in range(gpus)), "/device:CPU:0")
    machine = Machine.ported(names, [limit] * gpus + [UNLIMITED], draw(st.integers(0, 5)), 10**9)
    order = draw(st.sampled_from(("fifo", "blevel")))
    return Problem(workload, machine, group, pin, gpus, order, draw(st.sampled_from(CONTENTION)))
