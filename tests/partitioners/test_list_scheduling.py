"""HEFT, ETF, critical-path and frugal on drawn graphs, and what list scheduling promises in general."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from pardnn.partitioners import _list
from pardnn.partitioners.critical_path import CriticalPath, heaviest_path
from pardnn.partitioners.etf import Etf
from pardnn.partitioners.frugal import Frugal
from pardnn.partitioners.heft import Heft
from pardnn.problem import Problem
from scheduler.machine import UNLIMITED, Machine
from scheduler.workload import Workload
from tests import strategies
from tests.factories import drawn, grid, layered

RNG = np.random.default_rng(0)
NONE: dict[str, Any] = {"order": "blevel", "contention": "none"}


@pytest.mark.parametrize("method", [Heft(), Etf(), CriticalPath(), Frugal()])
def test_two_chains_go_side_by_side(method: Heft | Etf | CriticalPath | Frugal) -> None:
    problem = drawn("A=3 B=3 C=3 D=3 A-B:9 C-D:9").problem()
    assert problem.simulate(method(problem, RNG)).makespan_ns == 6


@pytest.mark.parametrize("method", [Heft(), Etf(), Frugal()])
def test_a_costly_fork_stays_together(method: Heft | Etf | Frugal) -> None:
    problem = drawn("A=1 B=4 C=4 A-B:9 A-C:9").problem()
    assert problem.simulate(method(problem, RNG)).makespan_ns == 9


def test_heft_goes_back_into_an_idle_interval() -> None:
    """B and C go apart, so one of them waits for A's tensor on an idle GPU; X, least urgent, fits in before it."""
    sketch = drawn("A=2 B=9 C=9 X=3 A-B:4 A-C:4")
    placement = Heft()(sketch.problem(**NONE), RNG)
    assert placement[sketch["B"]] != placement[sketch["C"]]
    away = sketch["B"] if placement[sketch["B"]] != placement[sketch["A"]] else sketch["C"]
    assert placement[sketch["X"]] == placement[away]


def test_heft_prefers_the_card_that_ends_first() -> None:
    """The second card is three times as fast: even behind A, B ends earlier there."""
    sketch = drawn("A=6 B=6")
    plain = sketch.workload(2)
    time_ns = plain.time_ns // [1, 3]
    workload = Workload.build(
        sketch.dag, time_ns, plain.edge_bytes, plain.resident_bytes, plain.output_bytes, plain.temp_bytes
    )
    machine = Machine.uniform(2, UNLIMITED, 0, 10**9)
    problem = Problem(workload, machine, np.arange(2, dtype=np.int32), np.full(2, -1, np.int32), 2)
    assert Heft()(problem, RNG).tolist() == [1, 1]


def test_etf_takes_the_longer_way_first_if_starts_tie() -> None:
    """A and B can both start at once on either GPU; A has the longer tail and gets the first one."""
    sketch = drawn("B=1 A=1 C=5 A-C:1")
    assert Etf()(sketch.problem(**NONE), RNG).tolist() == [1, 0, 0]


def test_etf_starts_where_the_input_is() -> None:
    """B needs A's tensor, which takes longer to send than A's device is busy with C."""
    sketch = drawn("A=1 B=5 C=2 A-B:9 A-C:9")
    placement = Etf()(sketch.problem(**NONE), RNG)
    assert placement[sketch["A"]] == placement[sketch["B"]] == placement[sketch["C"]]


def test_the_heaviest_path_counts_transfers() -> None:
    """A-B-D is longer in time, A-C-D in transfers."""
    sketch = drawn("A=1 B=4 C=1 D=1 A-B:1 B-D:1 A-C:5 C-D:5")
    assert heaviest_path(sketch.problem()).tolist() == [sketch["A"], sketch["C"], sketch["D"]]


def test_the_critical_path_stays_on_one_device() -> None:
    sketch = drawn("A=9 B=9 C=9 X=2 Y=2 A-B-C X-Y")
    placement = CriticalPath()(sketch.problem(**NONE), RNG)
    assert placement.tolist() == [0, 0, 0, 1, 1]


def test_frugal_sees_that_a_port_is_busy() -> None:
    """Eight readers of eight tensors: without contention most would be sent off, through one port they queue."""
    sketch = drawn("A=1 " + " ".join(f"{n}=6 A-{n}:{40 + i}" for i, n in enumerate("BCDEFGHI")))
    problem = sketch.problem(gpus=4)
    assert problem.simulate(Frugal()(problem, RNG)).makespan_ns <= 49
    assert problem.simulate(Heft()(problem, RNG)).makespan_ns >= 49


def test_a_higher_charge_sends_less() -> None:
    problem = layered(12, 10).problem(gpus=4)
    sent = [
        problem.simulate(
            _list.earliest_finish(problem, problem.workload.dag.order, _list.pins(problem), gaps=0, charge=charge)
        ).sent_bytes
        for charge in (0, 100, 10_000)
    ]
    assert sent[0] > sent[1] > sent[2]


def test_groups_spread_as_far_as_memory_goes() -> None:
    """Four variables of 4 bytes, 8 bytes a GPU: two each, though everything would end sooner on one."""
    sketch = drawn("A B C D A-B:50 B-C:50 C-D:50", resident=[4] * 4, output=[0] * 4)
    for method in (Heft(), Etf(), CriticalPath()):
        placement = method(sketch.problem(memory=8, **NONE), RNG)
        assert np.bincount(placement).tolist() == [2, 2]


def test_what_fits_nowhere_goes_where_most_room_is() -> None:
    """A takes 6 of GPU 0's 7 bytes; B needs 8, and GPU 1 is nearer to that."""
    sketch = drawn("A=5 B=1 A-B:9", resident=[6, 8], output=[0, 0])
    for method in (Heft(), Etf(), CriticalPath()):
        assert method(sketch.problem(memory=7, **NONE), RNG).tolist() == [0, 1]


@given(strategies.problems(bound=False))
def test_the_order_by_level_is_topological_whatever_the_costs(problem: Problem) -> None:
    order = _list.by_level(problem)
    turn = np.empty(len(order), np.int64)
    turn[order] = np.arange(len(order))
    dag = problem.workload.dag
    assert sorted(order.tolist()) == list(range(dag.n))
    assert (turn[dag.src] < turn[dag.dst]).all()


@pytest.mark.parametrize("gaps", [1, 2, 1000])
def test_forgetting_gaps_costs_no_correctness(gaps: int) -> None:
    problem = grid(8).problem(gpus=3, **NONE)
    placement = _list.earliest_finish(problem, _list.by_level(problem), _list.pins(problem), gaps=gaps)
    assert problem.lower_bound_ns <= problem.simulate(placement).makespan_ns <= problem.workload.time_ns[:, 0].sum()


def test_tensors_are_shared_by_edges_of_one_producer_and_size() -> None:
    problem = drawn("A B C D A-B:3 A-C:3 A-D:4 B-C:3").problem()
    tensor = _list._tensors(problem)
    assert tensor[0] == tensor[1]
    assert len(set(tensor.tolist())) == 3
