"""A graph while it is changed: numbers, names, groups; a cycle is a bug that is noticed."""

from __future__ import annotations

import pytest

from pardnn.optimize.draft import Draft
from scheduler.dag import CycleError
from tests.factories import drawn


def test_new_ops_follow_the_old_ones_and_cost_what_is_said() -> None:
    problem = drawn("A=5 B=2 A-B:3", temp=[1, 7]).problem(gpus=1)
    draft = Draft(problem)
    copy = draft.copy(1, "again")
    draft.edge(0, copy, 3)
    draft.edge(1, copy)
    changed = draft.changed
    work = changed.problem.workload
    assert (copy, work.dag.n, work.dag.m) == (2, 3, 3)
    assert work.time_ns[:, 0].tolist() == [5, 2, 2]
    assert work.temp_bytes.tolist() == [1, 7, 7]
    assert (work.dag.src.tolist(), work.dag.dst.tolist()) == ([0, 0, 1], [1, 2, 2])
    assert work.edge_bytes.tolist() == [3, 3, 0]
    assert changed.names(["A", "B"]) == ("A", "B", "B/again")
    assert problem.workload.dag.n == 2, "the problem itself is as it was"


def test_no_name_occurs_twice() -> None:
    draft = Draft(drawn("A=1").problem(gpus=1))
    draft.copy(0, "again")
    draft.copy(0, "again")
    assert draft.changed.names(["A"]) == ("A", "A/again", "A/again_2")


def test_a_mate_shares_the_group_others_have_their_own() -> None:
    draft = Draft(drawn("A=1 B=1 C=1").problem(gpus=2, groups="AB"))
    alone, beside_a = draft.copy(0, "x"), draft.copy(0, "y", mate=0)
    beside_alone = draft.copy(0, "z", mate=alone)
    group = draft.changed.problem.group.tolist()
    assert group[beside_a] == group[0] == group[1]
    assert group[beside_alone] == group[alone]
    assert group[alone] not in group[:3]


def test_what_is_on_the_host_is_bound_to_it_and_takes_no_time() -> None:
    draft = Draft(drawn("A=5").problem(gpus=2))
    v = draft.on_host(0, "to_host", 9, held=4)
    problem = draft.changed.problem
    assert problem.pin.tolist() == [-1, 2]
    assert problem.workload.time_ns[v].tolist() == [0, 0, 0]
    assert (problem.workload.output_bytes[v], problem.workload.resident_bytes[v]) == (9, 4)


def test_a_cycle_is_noticed() -> None:
    draft = Draft(drawn("A-B").problem(gpus=1))
    draft.edge(1, 0)
    with pytest.raises(CycleError):
        draft.changed  # noqa: B018
