"""The ledger holds what the memory model says, and names who would free it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pardnn.problem import Problem
from pardnn.refine.ledger import Ledger
from tests.factories import drawn
from tests.strategies import placements, problems


@given(problems(max_nodes=12), st.data())
def test_peaks_are_those_of_the_memory_model(problem: Problem, data: st.DataObject) -> None:
    placement = problem.settle(data.draw(placements(problem.workload.dag.n, problem.gpus)))
    schedule = problem.simulate(placement)
    assert Ledger.of(problem, schedule).peaks.tolist() == problem.peaks(schedule).tolist()


def test_who_owns_what() -> None:
    # B and C read A's 7 bytes on A's device, D reads a copy. While A runs its output and scratch are its own, then the
    # output is C's, who ends last; the copy is D's.
    sketch = drawn("A=2 B=3 C=5 D=1 A-B:7 A-C:7 A-D:7", resident=[4, 0, 0, 0], output=[7, 0, 0, 0], temp=[1, 0, 0, 0])
    problem = sketch.problem(gpus=2)
    ledger = Ledger.of(problem, problem.simulate(sketch.placement("ABC D")))
    pieces = {
        (int(d), sketch.names[g], int(b), int(t), int(u))
        for d, g, b, t, u in zip(
            ledger.device, ledger.owner, ledger.held_bytes, ledger.begin_ns, ledger.end_ns, strict=True
        )
        if t >= 0
    }
    assert pieces == {(0, "A", 8, 0, 2), (0, "C", 7, 2, 10), (1, "D", 7, 2, 10)}
    assert ledger.peaks[:2].tolist() == [12, 7]


def test_peak_node_is_the_one_that_runs_then() -> None:
    sketch = drawn("A=2 B=2 C=2 A-B-C", output=[9, 50, 1])
    problem = sketch.problem(gpus=1)
    assert Ledger.of(problem, problem.simulate(np.zeros(3, np.int32))).peak_node(0) == sketch["B"]


def test_neighbours_leave_out_the_group_itself() -> None:
    sketch = drawn("A B C A-B:3 B-C:5 A-C:0")
    ptr, group, ns = sketch.problem(gpus=2, groups="AB").neighbours
    assert [list(zip(group[a:b], ns[a:b], strict=True)) for a, b in pairwise(ptr)] == [
        [(1, 5), (1, 0)],
        [(0, 5), (0, 0)],
    ]


def test_the_cheapest_that_suffices_alone_leaves() -> None:
    # One device holds 30 of 20 bytes. Y is the cheapest per byte but C, which costs less in all, frees enough.
    sketch = drawn("Y=9 C=2 Z=40", resident=[15, 10, 5])
    problem = sketch.problem(gpus=2, memory=20)
    ledger = Ledger.of(problem, problem.simulate(np.zeros(3, np.int32)))
    target = ledger.moves(np.ones(3, np.bool_), problem.machine.memory_bytes)
    assert ledger.excess[0] == 10
    assert target.tolist() == [-1, 1, -1]


def test_a_leaver_joins_those_it_talks_to() -> None:
    # X must leave device 0; devices 1 and 2 have room, its reader sits on 2, and 1 is the emptier one.
    sketch = drawn("A=9 X=1 R=5 X-R:3", resident=[10, 6, 2], output=[0, 0, 0])
    problem = sketch.problem(gpus=3, memory=12)
    ledger = Ledger.of(problem, problem.simulate(np.array([0, 0, 2], np.int32)))
    assert ledger.moves(np.ones(3, np.bool_), problem.machine.memory_bytes).tolist() == [-1, 2, -1]
