"""The example of the paper's figure 2, step by step, and what holds for every graph."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

from pardnn.partitioners.pardnn import ParDNN, _kernels
from pardnn.partitioners.pardnn.mapping import BALANCED, COVERED, by_criticality, look_ahead, map_by_level, unmapped
from pardnn.partitioners.pardnn.slicing import Clusters, slice_graph
from pardnn.partitioners.pardnn.spans import Timeline
from pardnn.problem import Placement, Problem
from tests.factories import Sketch, chain, drawn, layered, star
from tests.strategies import problems

# Figure 2 of the paper; the nodes are listed first so that they are numbered by their letters.
FIGURE = (
    "A=1 B=1 C=1 D=1 E=1 F=1 G=1 H=1 I=1 J=1 K=1 L=1 M=1 N=1 O=1 P=1 Q=1 A-B:1 A-C:1 A-D:1 B-E:1 B-F:1 C-G:1 C-H:1 "
    "D-L:1 E-I:3 F-I:1 G-J:1 H-J:1 J-K:1 I-M:2 K-M:1 L-M:1 M-N:1 M-O:1 N-Q:1 O-P:1 P-Q:1"
)


@pytest.fixture
def golden() -> Sketch:
    return drawn(FIGURE)


@pytest.fixture
def problem(golden: Sketch) -> Problem:
    return golden.problem(gpus=2, order="fifo", contention="none")


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def spelled(clusters: Clusters, c: int) -> str:
    return "".join(chr(65 + v) for v in clusters.node[clusters.ptr[c] : clusters.ptr[c + 1]])


def loads(problem: Problem, timeline: Timeline, slot: Placement, c: int) -> list[int]:
    """What the trees say of cluster c's span: device 0, device 1, the pool."""
    sums = np.zeros(3, np.int64)
    _kernels.tree_sums(timeline.plant(slot, 3, problem.node_ns), 3, int(timeline.begin[c]), int(timeline.end[c]), sums)
    return [int(s) for s in sums]


def test_golden_slices(problem: Problem) -> None:
    clusters = slice_graph(problem)
    assert clusters.primaries == 2
    assert [spelled(clusters, c) for c in range(clusters.count)] == ["ABEIMOPQ", "CGJK", "DL", "F", "H", "N"]


def test_golden_spans_and_criticalities(problem: Problem) -> None:
    clusters = slice_graph(problem)
    timeline = Timeline.of(problem, clusters)
    seen = {
        spelled(clusters, c): (timeline.begin_ns[c], timeline.end_ns[c], timeline.criticality[c]) for c in range(2, 6)
    }
    assert seen == {"H": (3, 6, 14), "N": (10, 13, 14), "F": (2, 5, 11), "DL": (1, 9, 10)}
    slot = unmapped(problem, clusters)
    assert [spelled(clusters, c) for c in by_criticality(clusters, timeline, slot, 2)] == ["H", "N", "F", "DL"]


def test_golden_decisions(problem: Problem) -> None:
    clusters = slice_graph(problem)
    timeline = Timeline.of(problem, clusters)
    c = {spelled(clusters, c): c for c in range(clusters.count)}
    slot = unmapped(problem, clusters)
    assert loads(problem, timeline, slot, c["H"]) == [1, 1, 3]  # the pool counts H itself, U = 2 does not
    rule = look_ahead(problem, clusters, timeline, slot, maximal=False)
    assert {name: rule[i] for name, i in c.items() if i > 1} == {"H": COVERED, "F": BALANCED, "N": 0, "DL": 0}
    assert (slot[[ord("H") - 65, ord("F") - 65]] == [1, 0]).all()
    # After it, and so also when DL was looked at last: W of DL (4, 5), of N (2, 0), and nobody else in the pool there.
    assert loads(problem, timeline, slot, c["DL"]) == [4, 5, 2]
    assert loads(problem, timeline, slot, c["N"]) == [2, 0, 1]
    cost = map_by_level(problem, clusters, timeline, slot, relief=0)
    assert cost[c["N"]].tolist() == [2, 2]
    assert cost[c["DL"]].tolist() == [4, 7]


def test_golden_placement_and_makespan(golden: Sketch, problem: Problem) -> None:
    placement = ParDNN()(problem, rng())
    assert (placement == golden.placement("ABDEFILMNOPQ CGHJK")).all()
    assert problem.simulate(placement).makespan_ns == 13


def test_a_path_ends_where_it_would_rather_go_on_to_an_earlier_one() -> None:
    # A - B - C - D - E is the spine; X leaves it at A and comes back at C; Y hangs on X and comes back at E.
    sketch = drawn("A=5 B=9 C=5 D=9 E=5 X=3 Y=2 A-B-C-D-E A-X-C X-Y-E")
    clusters = slice_graph(sketch.problem(gpus=1))
    paths = [
        [sketch.names[v] for v in clusters.node[a:b]] for a, b in zip(clusters.ptr, clusters.ptr[1:], strict=False)
    ]
    assert paths == [["A", "B", "C", "D", "E"], ["X"], ["Y"]]


def test_a_span_begins_when_the_path_can_run_through() -> None:
    # S is a constant at the head of the path S - X; X waits for A, so the span is not the whole step.
    sketch = drawn("A=50 B=20 C=10 S=1 X=4 A-B-C A-X:9 S-X:1 X-C:1")
    problem = sketch.problem(gpus=1)
    clusters = slice_graph(problem)
    timeline = Timeline.of(problem, clusters)
    path = clusters.node[clusters.ptr[1] : clusters.ptr[2]]
    assert [sketch.names[v] for v in path] == ["S", "X"]
    assert (timeline.begin_ns[1], timeline.end_ns[1]) == (49, 70)


def test_contended_links_keep_small_work_where_its_inputs_are() -> None:
    # X is worth 2 ns of work; fetching its input and sending its output takes 20 ns of link.
    sketch = drawn("A=50 B=90 C=50 X=2 Z=3 A-B:1 B-C:1 A-X:10 X-C:10 Z-B:0")
    apart, together = (
        ParDNN()(sketch.problem(gpus=2, contention=contention), rng()) for contention in ("none", "link")
    )
    assert apart[sketch["X"]] != apart[sketch["A"]]
    assert together[sketch["X"]] == together[sketch["A"]]


def test_nodes_bound_to_the_host_are_on_no_path() -> None:
    sketch = drawn("A=5 B=5 C=5 D=5 A-B-C-D A-C")
    problem = sketch.problem(gpus=2, pins={"B": 2})
    clusters = slice_graph(problem)
    assert sketch["B"] not in clusters.node.tolist()
    assert sorted(clusters.node.tolist()) == [sketch[v] for v in "ACD"]
    placement = ParDNN()(problem, rng())
    assert placement[sketch["B"]] == 2
    assert (placement[[sketch[v] for v in "ACD"]] < 2).all()


def test_nodes_bound_to_a_gpu_count_there() -> None:
    problem = drawn("A=5 B=5 C=5 A-B-C").problem(gpus=2, pins={"A": 1, "B": 1})
    assert unmapped(problem, slice_graph(problem))[:2].tolist() == [1, 1]
    assert ParDNN()(problem, rng())[:2].tolist() == [1, 1]


def test_fewer_nodes_than_devices() -> None:
    placement = ParDNN()(drawn("A-B").problem(gpus=4), rng())
    assert placement.tolist() == [0, 0]
    assert ParDNN()(drawn("A=1").problem(gpus=8), rng()).tolist() == [0]


@pytest.mark.parametrize("gpus", [1, 2, 16])
def test_long_chains_and_wide_stars_end(gpus: int) -> None:
    long, wide = chain(2000), star(2000)
    assert set(ParDNN()(long.problem(gpus), rng()).tolist()) == {0}
    used = set(ParDNN()(wide.problem(gpus), rng()).tolist())
    assert used <= set(range(gpus))


def test_trees_say_what_adding_up_says() -> None:
    problem = layered(layers=4, width=5).problem(gpus=2)
    clusters = slice_graph(problem)
    timeline = Timeline.of(problem, clusters)
    slot = unmapped(problem, clusters)
    tree = timeline.plant(slot, 3, problem.node_ns)
    sums = np.zeros(3, np.int64)
    for begin in range(timeline.ranks + 1):
        for end in range(begin, timeline.ranks + 1):
            sums[:] = 0
            _kernels.tree_sums(tree, 3, begin, end, sums)
            within = (timeline.rank >= begin) & (timeline.rank < end)
            assert sums.tolist() == [int(problem.node_ns[within & (slot == s)].sum()) for s in range(3)]


@given(problems(max_nodes=14, max_gpus=4))
def test_any_graph(problem: Problem) -> None:
    clusters = slice_graph(problem)
    free = np.flatnonzero(problem.pin < 0)
    assert sorted(clusters.node.tolist()) == free.tolist()  # every free node on one path
    dag, links = problem.workload.dag, set()
    links = set(zip(dag.src.tolist(), dag.dst.tolist(), strict=True))
    for c in range(clusters.count):
        path = clusters.node[clusters.ptr[c] : clusters.ptr[c + 1]].tolist()
        assert all(step in links for step in pairwise(path))
    placement = ParDNN()(problem, rng())
    assert (placement == problem.settle(placement)).all()
    assert problem.allowed[np.arange(dag.n), placement].all()
    assert (placement == ParDNN()(problem, rng())).all()
