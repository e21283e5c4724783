"""The walk that makes it faster: never worse, within limits, groups whole; and it finds what a person sees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pardnn.search.clusters import clusters
from pardnn.search.walk import Walk
from tests.factories import FAMILIES, drawn
from tests.oracle import fits, optimum
from tests.strategies import placements, problems

RNG = np.random.default_rng(0)


def test_two_chains_on_one_device_are_parted() -> None:
    sketch = drawn("A=9 B=9 C=9 D=9 A-B C-D")
    problem = sketch.problem()
    improved = Walk(5000)(problem, sketch.placement("ABCD"), RNG)
    assert problem.simulate(improved).makespan_ns == 18


def test_a_dear_edge_is_no_longer_cut() -> None:
    sketch = drawn("A=5 B=5 A-B:1000")
    problem = sketch.problem()
    improved = Walk(5000)(problem, sketch.placement("A B"), RNG)
    assert problem.simulate(improved).makespan_ns == 10


def test_a_cluster_moves_where_no_single_op_would() -> None:
    """C, D and E talk much: alone each would pay 50 to leave, together they pay nothing."""
    sketch = drawn("A=60 B=60 C=40 D=40 E=40 A-B C-D:50 D-E:50")
    problem = sketch.problem()
    improved = Walk(5000)(problem, sketch.placement("ABCDE"), RNG)
    assert problem.simulate(improved).makespan_ns == 120


def test_clusters_stay_within_the_limit_on_one_device_and_keep_groups() -> None:
    sketch = drawn("A=3 B=3 C=3 D=3 E=3 A-B:9 B-C:8 C-D:7 D-E:6")
    problem = sketch.problem(groups="AE", pins={"D": 1})
    label = clusters(problem, sketch.placement("ABCE D"), 6)
    assert label.tolist() == [0, 1, 1, 2, 0]


@pytest.mark.parametrize("family", FAMILIES)
def test_never_worse_on_any_family(family: str) -> None:
    problem = FAMILIES[family]().problem(gpus=3)
    start = np.random.default_rng(1).integers(0, 3, problem.workload.dag.n).astype(np.int32)
    improved = Walk(20_000)(problem, start, RNG)
    assert problem.simulate(improved).makespan_ns <= problem.simulate(start).makespan_ns


@given(data=st.data())
def test_keeps_pins_groups_and_limits_and_never_beats_the_optimum(data: st.DataObject) -> None:
    problem = data.draw(problems(max_nodes=6, max_gpus=2, limited=True))
    start = problem.settle(np.minimum(data.draw(placements(problem.workload.dag.n, 2)), problem.gpus - 1))
    improved = Walk(2000)(problem, start, RNG)
    assert (problem.settle(improved) == improved).all()
    if fits(problem, start):
        assert fits(problem, improved)
        best = optimum(problem)
        assert best is not None
        low, high = (problem.simulate(p).makespan_ns for p in (best, start))
        assert low <= problem.simulate(improved).makespan_ns <= high


def test_stops_when_told_to() -> None:
    sketch = drawn("A=9 B=9")
    problem, start = sketch.problem(), sketch.placement("AB")
    assert Walk(5000, enough=lambda: True)(problem, start, RNG).tolist() == start.tolist()


def test_the_same_walk_every_time() -> None:
    problem = FAMILIES["layered"]().problem(gpus=3)
    start = np.random.default_rng(1).integers(0, 3, problem.workload.dag.n).astype(np.int32)
    first, again = (Walk(50_000)(problem, start, np.random.default_rng(5)).tolist() for _ in range(2))
    assert first == again != start.tolist()
