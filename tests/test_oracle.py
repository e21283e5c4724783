from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given

from pardnn.problem import Problem
from tests import oracle, strategies
from tests.factories import FAMILIES, Sketch, drawn


def test_two_independent_nodes_go_apart() -> None:
    problem = drawn("A=5 B=7").problem()
    best = oracle.optimum(problem)
    assert best is not None
    assert best[0] != best[1]
    assert problem.simulate(best).makespan_ns == 7


def test_a_costly_edge_keeps_a_fork_together() -> None:
    """A feeds B and C; sending costs more than running them one after the other."""
    problem = drawn("A=1 B=4 C=4 A-B:9 A-C:9").problem()
    best = oracle.optimum(problem)
    assert best is not None
    assert len(set(best)) == 1
    assert problem.simulate(best).makespan_ns == 9


def test_a_cheap_edge_splits_it() -> None:
    problem = drawn("A=1 B=4 C=4 A-B:2 A-C:2").problem()
    best = oracle.optimum(problem)
    assert best is not None
    assert problem.simulate(best).makespan_ns == 7


def test_groups_and_pins_narrow_the_choice() -> None:
    sketch = drawn("A=5 B=7 C=1")
    tried = list(oracle.placements(sketch.problem(groups="AB", pins={"C": 2})))
    assert [p.tolist() for p in tried] == [[0, 0, 2], [1, 1, 2]]


@pytest.mark.parametrize(("memory", "found"), [(5, True), (4, False)])
def test_memory_decides_what_is_left(memory: int, found: bool) -> None:
    """Two nodes of 3 and 5 resident bytes: apart they fit in 5."""
    best = oracle.optimum(drawn("A B", resident=[3, 5]).problem(memory=memory))
    assert (best is not None) == found


@pytest.mark.parametrize("make", FAMILIES.values(), ids=FAMILIES.keys())
def test_every_family_runs_on_one_device_without_transfers(make: Callable[[], Sketch]) -> None:
    problem = make().problem()
    schedule = problem.simulate(np.zeros(problem.workload.dag.n, np.int32))
    assert schedule.makespan_ns == problem.workload.time_ns[:, 0].sum()
    assert schedule.sent_bytes == 0


@given(strategies.problems(max_nodes=5, max_gpus=2))
def test_no_placement_is_faster_than_the_lower_bound(problem: Problem) -> None:
    best = oracle.optimum(problem)
    assert best is not None
    assert problem.lower_bound_ns <= problem.simulate(best).makespan_ns
    assert problem.settle(best).tolist() == best.tolist()
