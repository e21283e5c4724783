"""Smaller problems, and the walk from coarse to fine."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from pardnn.problem import Problem
from pardnn.search import grains
from pardnn.search.coarse import Coarse
from pardnn.search.grains import Grains
from tests import strategies
from tests.factories import drawn, layered


def test_a_run_of_nodes_is_one_node_as_far_as_its_work_goes() -> None:
    coarse = Coarse.made(drawn("A=1 B=1 C=1 D=1 A-B B-C C-D").problem(), 2)
    assert coarse.of.tolist() == [0, 0, 1, 1]
    assert coarse.problem.workload.time_ns[:, 0].tolist() == [2, 2]


def test_nodes_on_two_devices_are_not_one() -> None:
    problem = drawn("A=1 B=1 C=1 D=1 A-B B-C C-D").problem()
    coarse = Coarse.made(problem, 1, np.array([0, 1, 1, 0], np.int32))
    assert coarse.of.tolist() == [0, 1, 1, 2]
    assert coarse.down(np.array([0, 1, 1, 0], np.int32)).tolist() == [0, 1, 0]


def test_two_tensors_of_one_node_stay_two_transfers() -> None:
    """A and B are one node then; what C and D read from them is of one size."""
    problem = drawn("A=1 B=1 C=5 D=5 A-B:1 A-C:8 B-D:8").problem()
    coarse = Coarse.made(problem, 4)
    assert coarse.of[0] == coarse.of[1] != coarse.of[2]
    workload = coarse.problem.workload
    assert len({(int(workload.dag.src[e]), int(workload.edge_slot[e])) for e in range(workload.dag.m)}) == 2


@settings(max_examples=100, deadline=None)
@given(strategies.problems())
def test_it_has_no_cycle_and_all_the_work(problem: Problem) -> None:
    for nodes in (1, 3, 10):
        coarse = Coarse.made(problem, nodes)
        small = coarse.problem
        assert len(small.workload.dag.order) == small.workload.dag.n <= problem.workload.dag.n
        assert small.workload.time_ns.sum() == problem.workload.time_ns.sum()
        assert (small.pin[coarse.of] == problem.pin).all()
        assert len(set(zip(problem.group.tolist(), small.group[coarse.of].tolist(), strict=True))) == problem.groups


def test_it_is_never_worse_than_its_start_and_repeats_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grains, "_LARGE", 10)
    problem = layered(40, 6).problem(gpus=3)
    start = np.arange(problem.workload.dag.n, dtype=np.int32) % 3
    first, again = (Grains(400_000)(problem, start, np.random.default_rng(1)) for _ in range(2))
    assert first.tolist() == again.tolist()
    assert problem.simulate(first).makespan_ns < problem.simulate(start).makespan_ns
    assert Grains(400_000, enough=lambda: True)(problem, start, np.random.default_rng(1)).tolist() == start.tolist()
