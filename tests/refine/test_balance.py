"""Heuristic II: even shares, groups whole, and the chunks of a thin graph."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pardnn.partitioners.pardnn import ParDNN
from pardnn.partitioners.pardnn.chunks import thin_slices
from pardnn.problem import Problem
from pardnn.refine.balance import Balance
from tests.factories import chain, drawn
from tests.strategies import placements, problems


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_variables_go_from_the_fullest_to_the_emptiest() -> None:
    sketch = drawn("A B C D", resident=[40, 30, 20, 10], output=[0] * 4)
    problem = sketch.problem(gpus=2)
    placement = Balance()(problem, sketch.placement("ABCD"), rng())
    held = np.bincount(placement, weights=problem.workload.resident_bytes, minlength=2)
    assert held.tolist() == [50, 50]


def test_ops_without_variables_stay() -> None:
    sketch = drawn("A B C D", resident=[40, 40, 0, 0], output=[1, 1, 1, 1])
    placement = Balance()(sketch.problem(gpus=2), sketch.placement("ABCD"), rng())
    assert placement[2:].tolist() == [0, 0]
    assert sorted(placement[:2].tolist()) == [0, 1]


def test_groups_stay_whole_and_bound_ones_where_they_are() -> None:
    sketch = drawn("A B C D", resident=[30, 30, 30, 30])
    problem = sketch.problem(gpus=2, groups="AB", pins={"C": 0})
    placement = Balance()(problem, sketch.placement("ABCD"), rng())
    assert placement[0] == placement[1]
    assert placement[2] == 0


@given(problems(max_nodes=12, max_gpus=4), st.data())
def test_the_fullest_never_gets_fuller(problem: Problem, data: st.DataObject) -> None:
    work = problem.workload
    before = problem.settle(data.draw(placements(work.dag.n, problem.gpus)))
    after = Balance()(problem, before, rng())
    assert (after == problem.settle(after)).all()

    def fullness(placement: np.ndarray[tuple[int], np.dtype[np.int32]]) -> float:
        on_gpu = problem.pin < problem.gpus
        shares = []
        for column in (work.resident_bytes, work.output_bytes + work.temp_bytes):
            held = np.bincount(placement[on_gpu], weights=column[on_gpu], minlength=problem.gpus)
            shares.append(held[: problem.gpus] / max(1, column[on_gpu].sum()))
        return float((shares[0] + shares[1]).max())

    assert fullness(after) <= fullness(before) + 1e-9


def test_a_thin_graph_is_cut_into_chunks() -> None:
    problem = chain(12).problem(gpus=3)
    clusters = thin_slices(problem)
    paths = [clusters.node[a:b].tolist() for a, b in zip(clusters.ptr, clusters.ptr[1:], strict=False)]
    weight = problem.workload.resident_bytes + problem.workload.output_bytes
    assert [v for path in paths for v in path] == list(range(12))  # contiguous, in order, nothing lost
    assert all(paths)
    share = weight.sum() / 3
    assert max(abs(int(weight[path].sum()) - share) for path in paths) <= weight.max()
    placement = ParDNN(slices=thin_slices)(problem, rng())
    assert [placement[path].tolist() for path in paths] == [[d] * len(path) for d, path in enumerate(paths)]


@given(problems(max_nodes=12, max_gpus=4))
def test_chunks_lose_no_node(problem: Problem) -> None:
    clusters = thin_slices(problem)
    assert sorted(clusters.node.tolist()) == np.flatnonzero(problem.pin < 0).tolist()
    for c in range(clusters.count):
        assert (clusters.of[clusters.node[clusters.ptr[c] : clusters.ptr[c + 1]]] == c).all()
    placement = ParDNN(slices=thin_slices)(problem, rng())
    assert problem.allowed[np.arange(len(placement)), placement].all()
