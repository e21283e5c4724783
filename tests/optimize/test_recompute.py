"""Run again: the same results, less memory, as much more time as the ops that run twice take."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pardnn.optimize.blocks import Block, runs, scopes
from pardnn.optimize.draft import Changed
from pardnn.optimize.halves import Halves
from pardnn.optimize.recompute import chosen, recompute, reruns
from pardnn.problem import Problem
from tests.optimize.drawn import ladder, measure, reads, together
from tests.strategies import problems


def halves_of(problem: Problem) -> Halves:
    return Halves.of(problem, together(problem))


def test_a_block_is_dropped_and_made_anew_from_its_input() -> None:
    """f0 [f1 f2] f3: f1 is inside, f2 leads out; so f1 runs again from f0, behind b2, before b1."""
    sketch = ladder(4)
    problem = sketch.problem(gpus=1)
    halves = halves_of(problem)
    (rerun,) = reruns(halves, [Block("x", (sketch["f1"], sketch["f2"]))], np.ones(8, np.bool_))
    assert (rerun.dropped, rerun.ops) == ((sketch["f1"],), (sketch["f1"],))
    assert rerun.figures == (10, 10, 0, 10, 4)
    changed = recompute(halves, [rerun])
    dag = changed.problem.workload.dag
    inputs = sorted(
        zip(dag.src[dag.dst == 8].tolist(), changed.problem.workload.edge_bytes[dag.dst == 8].tolist(), strict=True)
    )
    assert inputs == [(sketch["f0"], 10), (sketch["b2"], 0)]
    assert dag.dst[dag.src == 8].tolist() == [sketch["b1"]]
    assert dag.dst[dag.src == sketch["f1"]].tolist() == [sketch["f2"]]


@pytest.mark.slow
def test_checkpoints_save_memory_for_a_third_more_time() -> None:
    """24 layers in six blocks: at the turn the six ends are held, and three outputs of the block at hand."""
    sketch = ladder(24)
    problem = sketch.problem(gpus=1)
    halves = halves_of(problem)
    forward = np.array([sketch[f"f{i}"] for i in range(24)])
    able = reruns(halves, runs(forward, sketch.names, np.ones(48, np.int64), 6), np.ones(48, np.bool_))
    before, after = measure(problem), measure(recompute(halves, chosen(able, 0.0)).problem)
    assert before[1] >= 240
    assert after[1] <= 120
    assert before[0] < after[0] <= before[0] + 24 * 4


@pytest.mark.slow
def test_less_is_run_again_where_more_may_be_held() -> None:
    sketch = ladder(24)
    problem = sketch.problem(gpus=1)
    halves = halves_of(problem)
    forward = np.array([sketch[f"f{i}"] for i in range(24)])
    able = reruns(halves, runs(forward, sketch.names, np.ones(48, np.int64), 6), np.ones(48, np.bool_))
    found = [measure(recompute(halves, chosen(able, share)).problem) for share in (0.0, 0.5, 1.0)]
    assert found == sorted(found, key=lambda pair: (-pair[0], pair[1]))
    assert found[2] == measure(problem)


def test_what_may_not_run_twice_is_kept() -> None:
    sketch = ladder(4)
    halves = halves_of(sketch.problem(gpus=1))
    twice = np.ones(8, np.bool_)
    twice[sketch["f1"]] = False
    (rerun,) = reruns(halves, [Block("x", (sketch["f1"], sketch["f2"]))], twice)
    assert rerun.dropped == ()
    assert rerun.figures.kept == 20


def test_a_layer_that_holds_weights_runs_again_where_they_are() -> None:
    sketch = ladder(4)
    held = ladder(4).problem(gpus=2)
    problem = type(sketch)(sketch.names, sketch.time, sketch.edges, resident=[7] * 8).problem(gpus=2)
    assert held.workload.resident_bytes.sum() == 0
    halves = halves_of(problem)
    able = reruns(halves, [Block("x", (sketch["f1"], sketch["f2"]))], np.ones(8, np.bool_))
    changed = recompute(halves, able).problem
    assert changed.group[8] == changed.group[sketch["f1"]]
    assert changed.workload.resident_bytes[8] == 0


@given(problems(), st.integers(1, 4))
def test_every_op_reads_what_it_read(problem: Problem, number: int) -> None:
    """Whatever is run again: no cycle, and each op and each copy has the inputs that the op had."""
    halves = halves_of(problem)
    names = [str(v) for v in range(problem.workload.dag.n)]
    early = halves.order[: halves.turn]
    blocks = runs(early, names, np.ones(len(names), np.int64), number)
    picked = [rerun for rerun in reruns(halves, blocks, problem.pin < 0) if rerun.dropped]
    changed = recompute(halves, picked)
    before = reads(Changed(problem, (), ()), problem)
    for v, found in reads(changed, problem).items():
        assert found == before[v if v < len(names) else changed.origin[v - len(names)]]


def test_blocks_are_the_deepest_scopes_of_which_there_are_few() -> None:
    names = [f"net/layer_{i}/{op}" for i in range(40) for op in ("conv", "relu")]
    assert len(scopes(np.arange(80), names)) == 40
    assert scopes(np.arange(4), ["a", "b", "c", "d"]) == [], "names that say nothing make no blocks"
    assert [block.name for block in runs(np.arange(4), ["a", "b", "c", "d"], np.ones(4, np.int64), 2)] == [
        "a .. b",
        "c .. d",
    ]
