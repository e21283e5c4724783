"""Where a step turns, and what is kept across."""

from __future__ import annotations

from hypothesis import given

from pardnn.optimize.halves import Halves
from pardnn.problem import Problem
from tests.optimize.drawn import ladder, together
from tests.strategies import problems


def test_a_training_step_turns_where_the_backward_pass_begins() -> None:
    sketch = ladder(4)
    problem = sketch.problem(gpus=1)
    halves = Halves.of(problem, together(problem))
    names = [sketch.names[v] for v in halves.order]
    assert names == ["f0", "f1", "f2", "f3", "b3", "b2", "b1", "b0"]
    assert [sketch.names[v] for v in halves.kept] == ["f0", "f1", "f2", "b3"]
    assert names[halves.turn - 1] == "b3", "when it starts all is held, and its own output"


def test_before_a_reader_comes_what_it_waits_for() -> None:
    sketch = ladder(4)
    problem = sketch.problem(gpus=1)
    halves = Halves.of(problem, together(problem))
    assert halves.before(sketch["b1"]) == sketch["b2"]
    assert halves.before(sketch["b0"], lead_ns=8) == sketch["b2"], "b1 starts 4 before it, b2 8"
    assert halves.before(sketch["b2"]) == sketch["b3"], "nothing of the second half: what runs just before"


@given(problems())
def test_the_order_is_a_topological_one(problem: Problem) -> None:
    halves, dag = Halves.of(problem, together(problem)), problem.workload.dag
    assert sorted(halves.order.tolist()) == list(range(dag.n))
    assert (halves.place[dag.src] < halves.place[dag.dst]).all()
    for v in halves.kept.tolist():
        assert not halves.late(v)
        assert halves.late_edges(v)
