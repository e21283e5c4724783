"""A better order found, and said in few edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pardnn.order.edges import with_edges
from pardnn.order.find import order
from pardnn.order.shed import shed
from pardnn.problem import Problem
from scheduler.machine import Machine
from tests.factories import Sketch
from tests.strategies import workloads


def _all(problem: Problem) -> np.ndarray:
    return np.ones(problem.workload.dag.n, np.bool_)


def test_urgent_op_goes_first() -> None:
    """Fifo runs A (nobody waits for it) before B, whose reader sits on the other device: one edge B -> A is enough.

    GPU 0:  A (10)   B (10) --0--> C (10) on GPU 1     A first: 30, B first: 20
    """
    sketch = Sketch(("A", "B", "C"), [10, 10, 10], [(1, 2, 0)])
    problem = sketch.problem()
    placement = np.array([0, 0, 1], np.int32)
    assert problem.simulate(placement).makespan_ns == 30
    found = order(problem, [placement], _all(problem))
    assert found.edges == ((sketch["B"], sketch["A"]),)
    assert with_edges(problem, found.edges).simulate(placement).makespan_ns == 20


def test_ops_that_may_not_be_joined_are_not() -> None:
    """The same, but A stands in a loop, say: no edge touches it, and the order stays."""
    problem = Sketch(("A", "B", "C"), [10, 10, 10], [(1, 2, 0)]).problem()
    placement = np.array([0, 0, 1], np.int32)
    found = order(problem, [placement], np.array([False, True, True]))
    assert found.edges == ()
    assert found.placement is placement


def test_better_placement_in_good_order() -> None:
    """The second placement is slower in fifo order and faster with its edge: it is taken, with the edge."""
    problem = Sketch(("A", "B", "C"), [10, 10, 10], [(1, 2, 0)]).problem()
    slow, fast = np.zeros(3, np.int32), np.array([0, 0, 1], np.int32)
    found = order(problem, [slow, fast], _all(problem))
    assert found.placement is fast
    assert len(found.edges) == 1


def test_less_memory_where_it_is_nearly_full() -> None:
    """Both producers first holds two outputs at once, one after the other only one; no order is faster.

    A1 (8 bytes) -> A2, B1 (8 bytes) -> B2 on one device of 17 bytes
    """
    edges = [(0, 2, 8), (1, 3, 8)]
    sketch = Sketch(("A1", "B1", "A2", "B2"), [5, 5, 5, 5], edges, output=[8, 8, 0, 0])
    problem = sketch.problem(gpus=1, memory=17)
    placement = np.zeros(4, np.int32)
    before = problem.simulate(placement)
    found = order(problem, [placement], _all(problem))
    more = with_edges(problem, found.edges)
    after = more.simulate(placement)
    assert (problem.peaks(before)[0], more.peaks(after)[0]) == (16, 8)
    assert after.makespan_ns == before.makespan_ns
    assert len(found.edges) == 1


@given(workloads(k=2), st.integers(0, 2**31), st.sampled_from(["fifo", "blevel"]))
@settings(max_examples=60, deadline=None)
def test_never_a_cycle_never_slower(workload: object, seed: int, mode: str) -> None:
    """Edges join ops on one device, close no cycle, and no step gets slower."""
    n = workload.dag.n  # type: ignore[attr-defined]
    machine = Machine.uniform(2, 2**62, 3, 10**9)
    problem = Problem(workload, machine, np.arange(n, dtype=np.int32), np.full(n, -1, np.int32), 2, mode)  # type: ignore[arg-type]
    placement = np.random.default_rng(seed).integers(0, 2, n).astype(np.int32)
    found = order(problem, [placement], _all(problem))
    more = with_edges(problem, found.edges)
    assert len(more.workload.dag.order) == n
    assert all(placement[a] == placement[b] for a, b in found.edges)
    assert more.simulate(placement).makespan_ns <= problem.simulate(placement).makespan_ns
    assert not found.edges or more.simulate(placement).makespan_ns < problem.simulate(placement).makespan_ns


def test_shed_keeps_what_is_needed() -> None:
    """Of ten edges the third and the eighth are needed, and nothing else is kept."""
    edges = tuple((v, v + 1) for v in range(10))

    def cost(kept: tuple[tuple[int, int], ...]) -> int:
        return 100 - 40 * ((2, 3) in kept) - 30 * ((7, 8) in kept)

    assert shed(edges, cost, 0, 1, 1000) == (((2, 3), (7, 8)), 30)


def test_shed_drops_by_the_piece_where_there_are_too_many_for_its_tries() -> None:
    """Each of 4,000 edges saves 1, ten save 1,000 more; an edge must save 10: most go in 100 tries, the ten stay."""
    edges = tuple((v, v + 1) for v in range(4000))
    worth = set(edges[2000:2010])

    def cost(kept: tuple[tuple[int, int], ...]) -> int:
        return 20_000 - len(kept) - 1000 * len(worth & {*kept})

    kept, least = shed(edges, cost, 0, 10, 100)
    assert worth <= {*kept}
    assert len(kept) < 400
    assert least == cost(kept)


def test_shed_drops_pairs_that_are_not_worth_two() -> None:
    """Without either of two edges a step takes 8 longer, and no more without both: together they save too little."""
    edges = tuple((v, v + 1) for v in range(24))

    def cost(kept: tuple[tuple[int, int], ...]) -> int:
        return 900 - 8 * ({(2, 3), (3, 4)} <= {*kept}) - sum(30 for edge in kept if edge[0] > 4)

    assert shed(edges, cost, 0, 5, 1000)[0] == edges[5:]


@pytest.mark.parametrize("tries", [0, 1, 5])
def test_shed_counts_its_tries(tries: int) -> None:
    """It asks for the cost so many times, and twice to know where it stands."""
    asked = []

    def cost(kept: tuple[tuple[int, int], ...]) -> int:
        asked.append(kept)
        return -len(kept)

    shed(tuple((v, v + 1) for v in range(64)), cost, 0, 1, tries)
    assert len(asked) <= tries + 2
