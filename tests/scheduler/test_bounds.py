"""Lower bounds: what they find in drawn graphs, and that no placement in any mode beats them."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings

from pardnn.problem import Problem
from scheduler.bounds import lower_bound_ns
from scheduler.dag import Dag
from scheduler.levels import bottom_levels, top_levels
from scheduler.machine import UNLIMITED, Machine
from scheduler.simulate import CONTENTION
from scheduler.workload import Workload
from tests.factories import drawn
from tests.instances import instance
from tests.oracle import optimum
from tests.strategies import machines, problems, workloads


def test_a_chain_is_bounded_by_its_length_and_a_heap_by_its_work() -> None:
    assert drawn("A=3 B=4 A-B:9").problem().lower_bound_ns == 7
    assert drawn("A=3 B=3 C=3").problem().lower_bound_ns == 6  # one device runs two of them


def test_work_pinned_to_one_device_is_not_shared_out() -> None:
    assert drawn("A=5 B=5 C=1").problem(pins={"A": 0, "B": 0}).lower_bound_ns == 10


def test_a_group_runs_on_one_device() -> None:
    assert drawn("A=5 B=5 C=1").problem(groups="AB").lower_bound_ns == 10


def test_a_join_waits_for_a_transfer_or_for_its_inputs_in_turn() -> None:
    """D reads B and C: sent for 3 C is there after 4 + 3, run after B at 5 + 4."""
    assert drawn("B=5 C=4 D=1 B-D:9 C-D:3").problem().lower_bound_ns == 8
    assert drawn("B=5 C=4 D=1 B-D:9 C-D:9").problem().lower_bound_ns == 10


def test_a_fork_is_a_join_backwards() -> None:
    assert drawn("A=1 B=5 C=4 A-B:9 A-C:9").problem().lower_bound_ns == 10


def test_pins_apart_force_a_transfer() -> None:
    assert drawn("A=1 B=1 A-B:7").problem(pins={"A": 0, "B": 1}).lower_bound_ns == 9


def test_residents_that_no_device_holds_together_force_a_transfer() -> None:
    sketch = drawn("A=1 B=1 A-B:7", resident=[6, 6])
    assert sketch.problem(memory=12).lower_bound_ns == 2
    assert sketch.problem(memory=11).lower_bound_ns > 2


def test_work_between_two_forced_moments_is_shared_out() -> None:
    """After A, before Z: six nodes of 2 on two devices, and nothing else runs meanwhile."""
    middle = " ".join(f"A-{x}:0 {x}-Z:0 {x}=2" for x in "BCDEFG")
    assert drawn(f"A=5 Z=5 {middle}").problem().lower_bound_ns == 5 + 6 + 5


def test_unlike_devices_share_work_by_their_speeds() -> None:
    """Device 0 is three times as fast: 8 nodes take it 2 each, the other 6; 12 is the best there is."""
    time = np.array([[2, 6]] * 8)
    workload = Workload.build(Dag.from_edges(8, [], []), time, [], *[[0] * 8] * 3)
    machine = Machine.uniform(2, UNLIMITED, 0, 10**9)
    assert lower_bound_ns(workload, machine, np.ones((8, 2), np.bool_)) == 12


def test_levels_of_a_diamond() -> None:
    # A is read by B (5 long) and C (2), D reads both; edges cost 1
    sketch = drawn("A=1 B=5 C=2 D=1 A-B A-C B-D C-D")
    node, edge = sketch.workload().time_ns[:, 0].copy(), np.ones(4, np.int64)
    assert top_levels(sketch.dag, node, edge).tolist() == [0, 2, 2, 8]
    assert bottom_levels(sketch.dag, node, edge).tolist() == [9, 7, 4, 1]


MODES = list(product(("blevel", "fifo"), CONTENTION))


def best_of_all_modes(problem: Problem) -> int | None:
    """The smallest makespan of any placement within the limits in any mode."""
    found = []
    for order, contention in MODES:
        asked = replace(problem, order=order, contention=contention)
        placement = optimum(asked)
        if placement is not None:
            found.append(asked.simulate(placement).makespan_ns)
    return min(found, default=None)


@given(problem=problems(max_nodes=7, max_gpus=2))
@settings(max_examples=100)
def test_the_bound_never_exceeds_the_optimum_of_any_mode(problem: Problem) -> None:
    best = best_of_all_modes(problem)
    assert best is not None
    assert problem.lower_bound_ns <= best


@given(problem=problems(max_nodes=6, max_gpus=3, limited=True))
@settings(max_examples=100)
def test_nor_with_limited_memory(problem: Problem) -> None:
    best = best_of_all_modes(problem)
    assert best is None or problem.lower_bound_ns <= best


@given(workload=workloads(k=3, max_nodes=6, alike=False), machine=machines(k=3, alike=False))
@settings(max_examples=100)
def test_nor_on_unlike_devices_and_links(workload: Workload, machine: Machine) -> None:
    n = workload.dag.n
    best = best_of_all_modes(Problem(workload, machine, np.arange(n, dtype=np.int32), np.full(n, -1, np.int32), 3))
    assert best is not None
    assert Problem(workload, machine, np.arange(n, dtype=np.int32), np.full(n, -1, np.int32), 3).lower_bound_ns <= best


@pytest.mark.slow
def test_on_two_thousand_instances_it_is_never_above_the_optimum_and_often_equal() -> None:
    exact = found = 0
    for seed in range(2200):
        problem = instance(seed)
        best = best_of_all_modes(problem)
        if best is not None:
            found += 1
            assert problem.lower_bound_ns <= best, seed
            exact += problem.lower_bound_ns == best
    assert found > 2000
    assert exact > found // 2
