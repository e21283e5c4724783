"""Gradients of several runs summed: each run once, one update, the sums held beside the variables."""

from __future__ import annotations

import numpy as np
import pytest

from pardnn.optimize.accumulate import accumulate, repeated
from tests.factories import drawn
from tests.optimize.drawn import measure

STEP = drawn("W=0 F=4 G=6 U=3 W-F:1 F-G:8 G-U:5 W-U:1", resident=[20, 0, 0, 0], output=[0, 8, 5, 0])
"""W holds the weights, F is the forward pass, G makes their gradient of 5 bytes, U updates."""


def test_a_run_is_what_the_gradients_depend_on() -> None:
    held = np.array([True, False, False, False])
    assert repeated(STEP.dag, [(STEP["G"], 5)], held).tolist() == [False, True, True, False]


@pytest.mark.parametrize("number", [1, 2, 5])
def test_runs_follow_each_other_and_one_update_ends_them(number: int) -> None:
    """Adding takes 1 ns; the last run's sum is what U reads."""
    problem = STEP.problem(gpus=1)
    changed = accumulate(problem, [(STEP["G"], 5)], lambda size: np.ones(2, np.int64), number)
    work = changed.problem.workload
    assert [changed.role.count(role) for role in ("add", "total", "next_run", "sum")] == [number - 1, 1, number - 1, 1]
    makespan, peak = measure(changed.problem)
    assert makespan == number * (4 + 6 + 1) + 3
    assert peak <= 20 + 5 + 8 + 5 + 5, "one run at a time: no more than weights, sum, and what a run holds"
    total = 4 + changed.role.index("total")
    assert work.dag.src[work.dag.dst == STEP["U"]].tolist() == [total, STEP["W"]]


def test_sums_stay_where_they_are_added_to() -> None:
    problem = STEP.problem(gpus=2)
    changed = accumulate(problem, [(STEP["G"], 5)], lambda size: np.ones(3, np.int64), 3)
    group = changed.problem.group[4:]
    sums = {int(g) for g, role in zip(group, changed.role, strict=True) if role in ("sum", "add", "total")}
    assert len(sums) == 1
