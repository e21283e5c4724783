"""The simulator equals the judge: makespan to the nanosecond, peaks to the byte, in all four modes."""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler import memory
from scheduler.machine import UNLIMITED, Machine
from scheduler.schedule import Schedule
from scheduler.simulate import simulate
from scheduler.workload import Workload
from tests.factories import judged
from tests.scheduler.judge import columns, cost_graphs, load_judge, workload
from tests.strategies import placements, workloads

MODES = list(product(("blevel", "fifo"), ("none", "link")))
LINKS = [(10.0, 12e3), (25.0, 140e3), (0.0, 2147.483648)]


def placed(n: int, k: int, order: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
    """Random, one device, contiguous in topological order, by turns."""
    position = np.empty(n, np.int64)
    position[order] = np.arange(n)
    random = np.random.default_rng(n * k).integers(0, k, n)
    return [a.astype(np.int32) for a in (random, np.zeros(n), position * k // max(n, 1), position % k)]


def assert_equal(w: Workload, machine: Machine, schedule: Schedule, judge: dict[str, Any]) -> None:
    assert schedule.makespan_ns == round(judge["makespan"] * 1000)
    assert memory.peaks(w, machine, schedule).tolist() == judge["peak"]
    assert schedule.sent_bytes == judge["comm_bytes"]
    assert len(schedule.transfer_src) == judge["transfers"]
    assert schedule.start_ns.tolist() == [round(x * 1000) for x in judge["start"]]


@pytest.mark.parametrize("k", [2, pytest.param(4, marks=pytest.mark.slow), 8, pytest.param(16, marks=pytest.mark.slow)])
def test_every_shared_cost_graph(shared: Path, k: int) -> None:
    judge = load_judge(shared)
    paths = cost_graphs(shared)
    assert len(paths) >= 14
    for path in paths:
        graph = columns(path)
        w = workload(graph, k)
        latency, rate = LINKS[2] if path.name.startswith("lat_") else LINKS[k % 2]
        machine = Machine.uniform(k, UNLIMITED, round(latency * 1000), round(rate * 1e6))
        for place in placed(w.dag.n, k, w.dag.order):
            for order, contention in MODES:
                verdict = judge.evaluate(graph, place.tolist(), k, latency, rate, order, contention)
                assert_equal(w, machine, simulate(w, machine, place, order, contention), verdict)


@given(data=st.data())
def test_random_workloads_full_of_ties_and_zeros(shared: Path, data: st.DataObject) -> None:
    judge = load_judge(shared)
    k = data.draw(st.integers(1, 4))
    w = data.draw(workloads(k, max_nodes=15))
    place = data.draw(placements(w.dag.n, k))
    latency_ns = data.draw(st.sampled_from((0, 1, 3)))
    machine = Machine.uniform(k, UNLIMITED, latency_ns, 10**9)
    for order, contention in MODES:
        verdict = judge.evaluate(judged(w), place.tolist(), k, latency_ns / 1000, 1e3, order, contention)
        assert_equal(w, machine, simulate(w, machine, place, order, contention), verdict)
