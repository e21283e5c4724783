"""One device, round-robin and fill."""

import numpy as np
import pytest
from hypothesis import given

from pardnn.partitioners._memory import by_group, footprint
from pardnn.partitioners.fill import Fill
from pardnn.partitioners.round_robin import RoundRobin
from pardnn.partitioners.single import Single
from pardnn.problem import Problem
from scheduler.machine import UNLIMITED, Machine
from scheduler.workload import Workload
from tests import strategies
from tests.factories import chain, drawn

RNG = np.random.default_rng(0)


def test_single_takes_the_faster_card() -> None:
    """The second card runs each node in half the time."""
    sketch = chain(4)
    plain = sketch.workload(2)
    workload = Workload.build(
        sketch.dag, plain.time_ns * [2, 1], plain.edge_bytes, plain.resident_bytes, plain.output_bytes, plain.temp_bytes
    )
    machine = Machine.uniform(2, UNLIMITED, 0, 10**9)
    problem = Problem(workload, machine, np.arange(4, dtype=np.int32), np.full(4, -1, np.int32), 2)
    assert Single()(problem, RNG).tolist() == [1] * 4


def test_single_takes_the_card_that_can_hold_it() -> None:
    """The first GPU has 7 bytes, the second 8; both nodes' variables need 8."""
    problem = drawn("A-B:0", resident=[3, 5]).problem()
    machine = Machine.ported(problem.machine.devices, [7, 8, UNLIMITED], 0, 10**9)
    tight = Problem(problem.workload, machine, problem.group, problem.pin, 2)
    assert Single()(tight, RNG).tolist() == [1, 1]


@given(strategies.problems(bound=False))
def test_single_never_sends_anything(problem: Problem) -> None:
    assert problem.simulate(Single()(problem, RNG)).sent_bytes == 0


def test_round_robin_counts_groups_in_topological_order() -> None:
    """A-B-C-D-E with B and D together: groups A, BD, C, E in turn."""
    problem = drawn("A-B-C-D-E").problem(groups="BD")
    assert RoundRobin()(problem, RNG).tolist() == [0, 1, 0, 1, 1]


def test_fill_cuts_where_half_of_the_work_is_done() -> None:
    """Ten units of work in a row, five on each side of B."""
    problem = drawn("A=2 B=3 C=1 D=4 A-B-C-D").problem()
    assert Fill()(problem, RNG).tolist() == [0, 0, 1, 1]


@given(strategies.problems(bound=False))
def test_fill_never_goes_back_to_an_earlier_device(problem: Problem) -> None:
    placement = Fill()(problem, RNG)
    assert (np.diff(placement[problem.workload.dag.order]) >= 0).all()


def test_fill_moves_on_where_memory_ends() -> None:
    """By work A, B and C would go together, but 5 bytes hold two of them."""
    problem = drawn("A=1 B=1 C=1 D=9 A-B-C-D:0", resident=[2, 2, 2, 1]).problem(gpus=2, memory=5)
    assert Fill()(problem, RNG).tolist() == [0, 0, 1, 1]


def test_fill_fills_to_the_brim_if_equal_work_leaves_something_over() -> None:
    """Equal work puts A alone, then C and D exceed the second device; to the brim A and B fit on the first."""
    problem = drawn("A=9 B=1 C=1 D=1 A-B-C-D:0", resident=[1, 2, 2, 2]).problem(gpus=2, memory=4)
    assert Fill()(problem, RNG).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize(("memory", "expected"), [(UNLIMITED, [0, 0, 0]), (100, [6, 12, 2])])
def test_a_footprint_is_variables_and_a_share_of_what_comes_and_goes(memory: int, expected: list[int]) -> None:
    """A's 4 bytes are held until C has run, B's 8 with them: at most 12 + 0 at once, just the sum of all outputs."""
    sketch = drawn("A-B-C A-C", resident=[2, 4, 2], output=[4, 8, 0], temp=[0, 0, 0])
    assert footprint(sketch.problem(memory=memory)).tolist() == expected


def test_by_group_adds_up() -> None:
    problem = drawn("A-B-C").problem(groups="AC")
    assert by_group(problem, np.array([1, 20, 300])).tolist() == [301, 20]
