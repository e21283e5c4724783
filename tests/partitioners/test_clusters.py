"""Linear clustering, METIS and chunks."""

import ctypes
import sys
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given

from pardnn.partitioners._order import group_order, regroup
from pardnn.partitioners.chunks import Chunks
from pardnn.partitioners.linear_clustering import LinearClustering, linear_clusters, merged
from pardnn.partitioners.metis import TOTAL, Metis, _contract, _scaled, _silent_stdout
from pardnn.problem import Problem
from scheduler.workload import Workload
from tests import strategies
from tests.factories import FAMILIES, Sketch, drawn, layered

RNG = np.random.default_rng(0)


def test_the_heaviest_path_is_the_first_cluster() -> None:
    """A-B-D weighs 12 with its transfers, A-C-D 9: C is left for itself."""
    sketch = drawn("A=1 B=4 C=1 D=1 A-B:3 B-D:3 A-C:3 C-D:3")
    assert linear_clusters(sketch.problem()).tolist() == [0, 0, 1, 0]


def test_the_second_path_is_heaviest_in_what_is_left() -> None:
    """Once A-B-C-D is gone, X-Y-Z is the heaviest, though by the first levels X-C would have led on from X."""
    sketch = drawn("A=9 B=9 C=9 D=9 X=1 Y=2 Z=2 A-B-C-D X-C:1 X-Y:1 Y-Z:1")
    assert linear_clusters(sketch.problem()).tolist() == [0, 0, 0, 0, 1, 1, 1]


@given(strategies.problems())
def test_a_linear_cluster_is_a_path(problem: Problem) -> None:
    """No two nodes of a cluster can run side by side: each is joined to the next by an edge."""
    cluster, dag = linear_clusters(problem), problem.workload.dag
    edges = set(zip(dag.src.tolist(), dag.dst.tolist(), strict=True))
    turn = np.empty(dag.n, np.int64)
    turn[dag.order] = np.arange(dag.n)
    for number in range(int(cluster.max()) + 1):
        path = sorted(np.flatnonzero(cluster == number).tolist(), key=lambda v: turn[v])
        assert all(pair in edges for pair in pairwise(path))
        assert len(path) == 1 or (problem.pin[path] < 0).all()


def test_merging_balances_work() -> None:
    """Clusters of 6, 4, 3 and 3 nanoseconds: 6 + 3 and 4 + 3."""
    assert merged(drawn("A=6 B=4 C=3 D=3").problem()).tolist() == [0, 1, 1, 0]


def test_linear_clustering_keeps_a_chain_together() -> None:
    problem = drawn("A=3 B=3 C=3 D=3 A-B:9 C-D:9").problem()
    placement = LinearClustering()(problem, RNG)
    assert placement[0] == placement[1] != placement[2] == placement[3]


def test_regroup_keeps_pinned_groups_apart() -> None:
    """All in one cluster, but A with C is pinned."""
    problem = drawn("A B C D").problem(groups="AC", pins={"A": 1})
    group = regroup(problem, np.zeros(4, np.int32)).group
    assert group[1] == group[3] != group[0] == group[2]


def test_group_order_follows_first_members() -> None:
    assert group_order(drawn("C-A A-B").problem(groups="CB")).tolist() == [0, 1]


def test_metis_cuts_the_thin_edge() -> None:
    """Two triangles joined by one light edge."""
    sketch = drawn("A=5 B=5 C=5 D=5 E=5 F=5 A-B:90 B-C:90 A-C:90 D-E:90 E-F:90 D-F:90 C-D:1")
    placement = Metis()(sketch.problem(), RNG)
    assert len(set(placement[:3])) == len(set(placement[3:])) == 1
    assert placement[0] != placement[3]


def test_the_contracted_graph_is_symmetric_without_loops_or_parallel_edges() -> None:
    """A and C are one vertex; three edges join it and B, one of them backwards."""
    sketch = drawn("A=1 B=1 C=1 D=1 A-B:2 A-B:2 B-C:3 A-C:9 C-D:4")
    ptr, adjacent, weight = _contract(sketch.problem(groups="AC"))
    rows = [dict(zip(adjacent[a:b].tolist(), weight[a:b].tolist(), strict=True)) for a, b in pairwise(ptr)]
    assert rows == [{1: 7, 2: 4}, {0: 7}, {0: 4}]


@pytest.mark.parametrize(
    "weight", [[0, 0, 0], [1, 2, 3], [2**62 // 3, 1, 2**62 // 3], [2**61, 2**61, 2**61 - 1]], ids=str
)
def test_scaled_weights_are_positive_and_far_from_overflow(weight: list[int]) -> None:
    scaled = _scaled(np.array(weight, np.int64))
    assert scaled.min() >= 1
    assert scaled.sum() <= TOTAL + len(weight)
    assert (np.diff(scaled)[np.diff(weight) == 0] == 0).all()


def extreme(sketch: Sketch, factor: int) -> Problem:
    """The sketch with times and bytes multiplied."""
    problem = sketch.problem(gpus=3)
    plain = problem.workload
    time_ns, edge_bytes = plain.time_ns * factor, plain.edge_bytes * factor
    columns = (plain.resident_bytes, plain.output_bytes, plain.temp_bytes)
    workload = Workload.build(plain.dag, time_ns, edge_bytes, *columns)
    return Problem(workload, problem.machine, problem.group, problem.pin, 3)


@pytest.mark.parametrize("make", FAMILIES.values(), ids=FAMILIES.keys())
@pytest.mark.parametrize("factor", [0, 10**13])
def test_metis_survives_extreme_weights(make: Callable[[], Sketch], factor: int) -> None:
    """All-zero weights, and sums near the end of int64."""
    problem = extreme(make(), factor)
    placement = Metis()(problem, RNG)
    assert placement.tolist() == problem.settle(placement).tolist()
    assert set(placement.tolist()) <= {0, 1, 2}


def test_one_huge_node_does_not_put_everything_in_one_part() -> None:
    problem = drawn("A=1000000000 " + " ".join(f"{n}=1 A-{n}:1" for n in "BCDEFGHIJKLMNOPQ")).problem(gpus=2)
    assert len(set(Metis()(problem, RNG).tolist())) == 2


def test_what_c_code_prints_is_dropped(capfd: pytest.CaptureFixture[str]) -> None:
    sys.stdout.write("before\n")
    with _silent_stdout():
        ctypes.CDLL(None).puts(b"noise")
    sys.stdout.write("after\n")
    sys.stdout.flush()
    assert capfd.readouterr().out == "before\nafter\n"


def test_chunks_beat_the_plain_cut_where_time_matters() -> None:
    """A layered graph on cheap links: the cut alone balances work, not work at any one time."""
    problem = layered(20, 12).problem(gpus=4)
    chunks, plain = (problem.simulate(method(problem, RNG)).makespan_ns for method in (Chunks(), Metis()))
    assert chunks < plain
