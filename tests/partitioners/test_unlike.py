"""Unlike cards: each method that shares out work does it by speed, and `auto` is no slower than the best card alone."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from pardnn.methods import method
from pardnn.partitioners._speed import heaviest_on_fastest, speeds
from pardnn.partitioners.etf import Etf
from pardnn.partitioners.fill import Fill
from pardnn.partitioners.linear_clustering import LinearClustering
from pardnn.partitioners.metis import Metis
from pardnn.partitioners.pardnn import ParDNN
from pardnn.partitioners.round_robin import RoundRobin, turns
from pardnn.problem import Placement, Problem
from scheduler.dag import frozen
from scheduler.machine import UNLIMITED, Machine
from scheduler.workload import Workload
from tests.factories import Sketch, drawn, layered
from tests.strategies import machines, workloads

RNG = np.random.default_rng(0)


def unlike(sketch: Sketch, slowness: tuple[int, ...], memory: Any = UNLIMITED, rate: int = 10**9) -> Problem:
    """Device d takes slowness[d] times as long."""
    base = sketch.workload(1)
    time = base.time_ns * np.array(slowness)
    workload = Workload.build(base.dag, time, base.edge_bytes, base.resident_bytes, base.output_bytes, base.temp_bytes)
    machine = Machine.ported(tuple(f"/device:GPU:{d}" for d in range(len(slowness))), memory, 0, rate)
    n = base.dag.n
    return Problem(workload, machine, np.arange(n, dtype=np.int32), np.full(n, -1, np.int32), len(slowness))


def work(problem: Problem, placement: Placement) -> list[int]:
    """Work by device, in the time of the fastest."""
    done = np.zeros(problem.machine.k, np.int64)
    np.add.at(done, placement, problem.workload.time_ns.min(axis=1))
    return [int(each) for each in done]


def test_speeds_are_relative_to_the_slowest() -> None:
    assert speeds(unlike(drawn("A=4 B=4"), (1, 4, 2))).tolist() == [4, 1, 2]


def test_fill_shares_out_by_speed() -> None:
    problem = unlike(drawn(" ".join(f"{x}=1" for x in "ABCDEFGH")), (3, 1))
    assert work(problem, Fill()(problem, RNG)) == [2, 6]


@pytest.mark.parametrize("partitioner", [Fill(), Metis(), LinearClustering(), ParDNN(), Etf(), RoundRobin()])
@pytest.mark.parametrize("slowness", [(1, 4), (4, 1)])
def test_the_faster_card_gets_more(partitioner: Any, slowness: tuple[int, int]) -> None:
    problem = unlike(layered(), slowness)
    done = work(problem, partitioner(problem, RNG))
    assert (done[0] > done[1]) == (slowness[0] < slowness[1])


def test_turns_are_in_proportion_to_speed() -> None:
    assert turns(np.ones(3), 7).tolist() == [0, 1, 2, 0, 1, 2, 0]
    assert turns(np.array([1.0, 3.0]), 8).tolist() == [1, 0, 1, 1, 1, 0, 1, 1]


def test_etf_waits_for_the_faster_card_where_that_ends_sooner() -> None:
    """B could start at once on the first card, yet would end there at 20, behind A on the second one at 8."""
    problem = unlike(drawn("A=4 B=4"), (5, 1))
    assert Etf()(problem, RNG).tolist() == [1, 1]


def test_parts_change_cards_only_where_that_helps() -> None:
    problem = unlike(drawn("A=9 B=1"), (5, 1))
    assert heaviest_on_fastest(problem, np.array([0, 1], np.int32)).tolist() == [1, 0]
    assert heaviest_on_fastest(problem, np.array([1, 0], np.int32)).tolist() == [1, 0]


@given(workload=workloads(k=3, max_nodes=9, alike=False), machine=machines(k=3, alike=False))
@settings(max_examples=10)
def test_auto_is_never_slower_than_the_best_card_alone(workload: Workload, machine: Machine) -> None:
    n = workload.dag.n
    problem = Problem(workload, machine, np.arange(n, dtype=np.int32), np.full(n, -1, np.int32), 3)
    alone = min(problem.simulate(np.full(n, d, np.int32)).makespan_ns for d in range(3))
    assert problem.simulate(method("auto", "fast")(problem, RNG)).makespan_ns <= alone


@given(workload=workloads(k=3, max_nodes=9, alike=False), machine=machines(k=3, alike=False))
@settings(max_examples=10)
def test_nor_within_limits_than_the_best_card_that_holds_it(workload: Workload, machine: Machine) -> None:
    """Each card has room for what it would hold alone, but for the fastest, which lacks a byte."""
    n = workload.dag.n
    free = Problem(workload, machine, np.arange(n, dtype=np.int32), np.full(n, -1, np.int32), 3)
    schedules = [free.simulate(np.full(n, d, np.int32)) for d in range(3)]
    alone = [s.makespan_ns for s in schedules]
    room = np.array([free.peaks(s)[d] for d, s in enumerate(schedules)])
    fastest = int(np.argmin(alone))
    room[fastest] = max(0, room[fastest] - 1)
    problem = replace(free, machine=replace(machine, memory_bytes=frozen(room, np.int64)))
    fits = [ns for d, ns in enumerate(alone) if free.peaks(schedules[d])[d] <= room[d]]
    assert problem.simulate(method("auto", "fast")(problem, RNG)).makespan_ns <= min(fits)


@pytest.mark.parametrize("slowness", [(1, 2), (2, 1), (8, 1)])
def test_auto_gives_a_faster_card_no_less(slowness: tuple[int, int]) -> None:
    problem = unlike(layered(), slowness)
    done = work(problem, method("auto", "fast")(problem, RNG))
    assert (done[0] >= done[1]) == (slowness[0] < slowness[1])


def test_a_card_with_less_memory_holds_less() -> None:
    """Eight residents of 4; the first card has room for two of them."""
    sketch = drawn(" ".join(f"{x}=5" for x in "ABCDEFGH"), resident=[4] * 8, output=[0] * 8)
    problem = unlike(sketch, (1, 1), memory=[8, 40])
    done = work(problem, method("auto", "fast")(problem, RNG))
    assert done == [10, 30]


def test_a_slower_link_keeps_together_what_a_faster_one_lets_apart() -> None:
    sketch = drawn("A=1 B=9 C=9 A-B:4 A-C:4")
    together, apart = (unlike(sketch, (1, 1), rate=rate) for rate in (10**8, 10**9))
    assert len(set(method("auto", "fast")(together, RNG).tolist())) == 1
    assert len(set(method("auto", "fast")(apart, RNG).tolist())) == 2
