import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scheduler.bounds import lower_bound_ns
from scheduler.levels import bottom_levels, top_levels
from tests.factories import drawn
from tests.oracle import optimum
from tests.strategies import problems


def everywhere(n: int, k: int) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    return np.ones((n, k), np.bool_)


def test_a_chain_is_bounded_by_its_length_and_a_heap_by_its_work() -> None:
    assert lower_bound_ns(drawn("A=3 B=4 A-B:9").workload(2), everywhere(2, 2)) == 7
    assert lower_bound_ns(drawn("A=3 B=3 C=3").workload(2), everywhere(3, 2)) == 5  # 9 / 2, rounded up: times are whole


def test_work_pinned_to_one_device_is_not_shared_out() -> None:
    allowed = np.array([[True, False], [True, False], [True, True]])
    assert lower_bound_ns(drawn("A=5 B=5 C=1").workload(2), allowed) == 10


def test_levels_of_a_diamond() -> None:
    # A is read by B (5 long) and C (2), D reads both; edges cost 1
    sketch = drawn("A=1 B=5 C=2 D=1 A-B A-C B-D C-D")
    node, edge = sketch.workload().time_ns[:, 0].copy(), np.ones(4, np.int64)
    assert top_levels(sketch.dag, node, edge).tolist() == [0, 2, 2, 8]
    assert bottom_levels(sketch.dag, node, edge).tolist() == [9, 7, 4, 1]


@given(data=st.data())
def test_the_bound_never_exceeds_the_optimum(data: st.DataObject) -> None:
    problem = data.draw(problems(max_nodes=6, max_gpus=2))
    best = optimum(problem)
    assert best is not None
    assert problem.lower_bound_ns <= problem.simulate(best).makespan_ns
