"""The Python door, end to end: what goes in, what a plan says, the same bytes whatever the environment."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import pardnn
from pardnn.config import Options
from pardnn.errors import DoesNotFit, InputError
from pardnn.pipeline import decide, measured
from pardnn.readers.costgraph import CostGraph, write_cost_graph
from pardnn.remedy import memory_bound
from pardnn.slack import slack_ns
from pardnn.subject import pose
from pardnn.units import parse_size
from tests.conftest import ROOT
from tests.factories import FAMILIES, judged, layered


def written(path: Path, columns: dict[str, Any]) -> Path:
    path.write_text(json.dumps(columns))
    return path


def graph(**attributes: Any) -> nx.DiGraph:
    """a -> b, a -> c."""
    made = nx.DiGraph()
    for name in "abc":
        made.add_node(name, time_us=100, resident_bytes=50, output_bytes=10, temp_bytes=5, op="Op", **attributes)
    made.add_edge("a", "b", bytes=12_000)
    made.add_edge("a", "c", bytes=12_000)
    return made


def test_a_networkx_graph_is_placed_under_its_own_names() -> None:
    plan = pardnn.partition(graph(), gpus=2, mem="1GB", method="heft")
    assert plan.placement.keys() == {"a", "b", "c"}
    assert len(set(plan.placement.values())) == 2
    assert plan.makespan_us == 100 + 10 + 1 + 100
    assert plan.lower_bound_us == 211
    assert plan.gap == 0
    assert plan.single_device_us == 300
    assert sum(plan.peak_bytes) >= 150
    assert plan.fits


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"bandwidth": "1B/s"}, "longer than 70 years"),
        ({"latency": "9e17ns"}, "longer than 70 years"),
        ({}, "more than 2\\^61 bytes"),
    ],
)
def test_what_int64_cannot_count_is_refused_not_wrapped(options: dict[str, str], said: str) -> None:
    made = nx.path_graph(4, create_using=nx.DiGraph)
    nx.set_node_attributes(made, 10, "time_us")
    nx.set_node_attributes(made, 1 if options else 2**59, "output_bytes")
    nx.set_edge_attributes(made, 10**12, "bytes")
    with pytest.raises(InputError, match=said):
        pardnn.partition(made, gpus=2, **options)


def test_the_summary_is_the_command_line_s_table(example_graph: Path) -> None:
    plan = pardnn.partition(example_graph, gpus=4, mem="16GB", method="pardnn")
    lines = plan.summary().splitlines()
    assert lines[0].startswith("graph        four_view_cnn.pbtxt: 390 nodes")
    assert [line.split()[0] for line in lines if line.startswith("GPU:")] == [f"GPU:{d}" for d in range(4)]
    assert lines[-1].endswith("times as fast as one GPU, which could not hold it.")


def test_a_plan_can_be_saved_as_either_file(example_graph: Path, tmp_path: Path) -> None:
    plan = pardnn.partition(str(example_graph), gpus=2, method="fill")
    plan.save(tmp_path / "x.placement.json")
    plan.save(tmp_path / "x.pbtxt")
    assert json.loads((tmp_path / "x.placement.json").read_text())["placement"] == plan.placement
    assert "/device:GPU:1" in (tmp_path / "x.pbtxt").read_text()
    with pytest.raises(InputError, match="exists already"):
        plan.save(tmp_path / "x.pbtxt")
    with pytest.raises(InputError, match="it yields a plan only"):
        pardnn.partition(graph(), gpus=2, method="fill").save(tmp_path / "y.json")


def test_a_graphdef_message_is_placed_like_its_file(shared: Path, tmp_path: Path) -> None:
    graph_pb2 = pytest.importorskip("tensorflow.core.framework.graph_pb2")
    path = shared / "data/graphs/made/tf1_mlp_4gpu_manual.pb"
    message = graph_pb2.GraphDef.FromString(path.read_bytes())
    plan = pardnn.partition(message, gpus=4, method="pardnn")
    assert plan.subject.name == "GraphDef"
    assert plan.placement == pardnn.partition(path, gpus=4, method="pardnn").placement
    placed = graph_pb2.GraphDef.FromString(plan.placed_graph())
    assert {node.name: node.device for node in placed.node if node.device} == plan.placement


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"gpu": 2}, "no option 'gpu'; there are: "),
        ({"gpus": 2, "order": "lifo"}, "^order: 'lifo' is not one of fifo, blevel"),
        ({"gpus": 2, "method": "magic"}, "no method 'magic'"),
        ({"gpus": 2, "costs": "guess"}, "guess"),
        ({"gpus": 2, "seed": -1}, "^seed: -1"),
    ],
)
def test_a_wrong_option_is_named(options: dict[str, Any], said: str, example_graph: Path) -> None:
    with pytest.raises(InputError, match=said):
        pardnn.partition(example_graph, **options)


def test_what_is_no_graph_is_named() -> None:
    with pytest.raises(InputError, match="is a int; a directed graph"):
        pardnn.partition(7, gpus=2)


def test_a_cost_graph_with_a_cycle_names_it(tmp_path: Path) -> None:
    columns = {"name": ["a", "b"], **{c: [1, 1] for c in ("time", "resident", "output", "temp")}}
    columns |= {"src": [0, 1], "dst": [1, 0], "bytes": [1, 1]}
    with pytest.raises(InputError, match="has a cycle of 2 nodes: "):
        pardnn.partition(written(tmp_path / "x.json", columns), gpus=2)


def test_pins_of_a_cost_graph_are_always_honoured() -> None:
    made = graph()
    made.nodes["b"]["device"] = "/gpu:1"
    made.nodes["c"]["device"] = "CPU:0"
    made.nodes["a"]["colocate"] = "x"
    made.nodes["b"]["colocate"] = "x"
    plan = pardnn.partition(made, gpus=2)
    assert plan.placement == {"a": "/device:GPU:1", "b": "/device:GPU:1", "c": "/device:CPU:0"}


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_no_answer_is_worse_than_one_gpu_nor_better_than_the_bound(family: str, tmp_path: Path) -> None:
    path = written(tmp_path / "g.json", judged(FAMILIES[family]().workload()))
    plan = pardnn.partition(path, gpus=3, effort="fast")
    assert plan.lower_bound_us <= plan.makespan_us <= plan.single_device_us


@pytest.mark.parametrize("method", ["pardnn", "heft", "fill", "auto"])
@pytest.mark.parametrize("share", [0.3, 0.7])
def test_either_it_fits_or_the_memory_named_works(method: str, share: float, tmp_path: Path) -> None:
    path = written(tmp_path / "g.json", judged(layered(8, 6).workload()))
    options: dict[str, Any] = {"gpus": 3, "method": method, "effort": "fast"}
    roomy = pardnn.partition(path, **options)
    mem = int(share * max(roomy.peak_bytes))
    try:
        plan = pardnn.partition(path, **options, mem=mem)
    except DoesNotFit as error:
        typed = str(error).partition("mem=")[2].split()[0].strip('"')
        assert parse_size(typed) > mem
        plan = pardnn.partition(path, **options, mem=typed)
        floor = parse_size(str(error).partition("; below ")[2].split()[0])
        assert floor <= parse_size(typed)
    assert plan.fits
    assert all(peak <= (limit or peak) for peak, limit in zip(plan.peak_bytes, plan.limit_bytes, strict=True))


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_the_memory_bound_is_one(family: str, tmp_path: Path) -> None:
    """No placement at all, of several drawn ones, needs less than what is claimed to be needed."""
    path = written(tmp_path / "g.json", judged(FAMILIES[family]().workload()))
    subject = pose(path, Options.of(gpus=2))
    bound = memory_bound(subject.problem)
    rng = np.random.default_rng(3)
    for _ in range(20):
        placement = rng.integers(2, size=len(subject.names)).astype(np.int32)
        assert max(measured(subject, Options.of(gpus=2), placement).peak_bytes) >= bound


@pytest.mark.parametrize("name", ["lat_layer_gnmt", "lat_op_bert_l3"])
@pytest.mark.parametrize("method", ["pardnn", "heft"])
def test_of_tight_caps_the_memory_named_works(shared: Path, name: str, method: str) -> None:
    path = shared / f"data/cost_graphs/{name}.json.gz"
    options: dict[str, Any] = {"gpus": 4, "method": method, "mem_fraction": 1, "order": "blevel", "contention": "none"}
    with pytest.raises(DoesNotFit) as told:
        pardnn.partition(path, **options, mem=int(0.6 * 629145600))
    typed = str(told.value).partition("mem=")[2].split()[0].strip('"')
    assert pardnn.partition(path, **options, mem=typed).fits


def test_slack_is_what_a_longest_path_search_says(tmp_path: Path) -> None:
    path = written(tmp_path / "g.json", judged(layered(6, 5).workload()))
    options = Options.of(gpus=3, method="heft")
    plan = decide(pose(path, options), options)
    slack, schedule, dag = slack_ns(plan), plan.schedule, plan.subject.problem.workload.dag
    length = (schedule.finish_ns - schedule.start_ns).tolist()
    order = nx.DiGraph()
    order.add_nodes_from(range(dag.n))
    for e, (u, v) in enumerate(zip(dag.src.tolist(), dag.dst.tolist(), strict=True)):
        t = schedule.edge_transfer[e]
        wait = int(schedule.transfer_finish_ns[t] - schedule.finish_ns[u]) if t >= 0 else 0
        order.add_edge(u, v, wait=wait)
    for d in range(3):
        mine = [v for v in np.argsort(schedule.start_ns, kind="stable").tolist() if plan.device[v] == d]
        for u, v in pairwise(mine):
            order.add_edge(u, v, wait=order.get_edge_data(u, v, {"wait": 0})["wait"])
    tail: dict[int, int] = {}
    for v in reversed(list(nx.topological_sort(order))):
        tail[v] = length[v] + max((order[v][w]["wait"] + tail[w] for w in order[v]), default=0)
    expected = [schedule.makespan_ns - int(schedule.start_ns[v]) - tail[v] for v in range(dag.n)]
    assert slack.tolist() == expected
    assert min(expected) == 0


def test_slack_of_ops_that_take_turns_is_never_below_nothing(tmp_path: Path) -> None:
    cores = tmp_path / "cores.toml"
    cores.write_text(
        'latency = "10us"\nbandwidth = "12GB/s"\n[[gpu]]\ncount = 2\ncard = "v100"\nmemory = "16GB"\n[sharing]\n'
        'send = "70us"\nsend_rate = "2GB/s"\nreceive = "60us"\nreceive_rate = "2GB/s"\n'
    )
    path = written(tmp_path / "g.json", judged(layered(6, 5).workload()))
    options = Options.of(machine=str(cores), method="round-robin")
    plan = decide(pose(path, options), options)
    assert plan.subject.problem.sharing is not None
    slack, schedule, dag = slack_ns(plan), plan.schedule, plan.subject.problem.workload.dag
    last = np.diff(dag.out_ptr) == 0
    assert slack.min() == 0
    assert (slack[last] == schedule.makespan_ns - schedule.finish_ns[last]).all()


SETTINGS: list[dict[str, str]] = [
    {"PYTHONHASHSEED": "0"},
    {"PYTHONHASHSEED": "4711", "NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    {"PYTHONHASHSEED": "1", "NUMBA_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"},
    {"NUMBA_DISABLE_JIT": "1"},
]


@pytest.mark.parametrize("method", ["pardnn", "auto", "metis"])
def test_the_same_bytes_come_out_in_every_environment(method: str, tmp_path: Path) -> None:
    path = written(tmp_path / "g.json", judged(layered(5, 6).workload()))
    command = [
        sys.executable,
        "-m",
        "pardnn",
        "partition",
        str(path),
        "--gpus",
        "3",
        "--mem",
        "2kB",
        "--method",
        method,
    ]
    found = set()
    for number, setting in enumerate(SETTINGS):
        env = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"} | {"PYTHONPATH": str(ROOT)} | setting
        out = tmp_path / f"{number}.placement.json"
        subprocess.run([*command, "--effort", "fast", "-q", "-o", str(out)], env=env, check=True, capture_output=True)
        found.add(out.read_bytes())
    assert len(found) == 1


def test_the_same_plan_comes_out_twice_in_one_process(example_graph: Path) -> None:
    first, second = (pardnn.partition(example_graph, gpus=4, mem="16GB", effort="fast") for _ in range(2))
    assert first.placement == second.placement
    assert first.result().keys() == second.result().keys()


@pytest.mark.parametrize(
    ("order", "contention"), [("fifo", "link"), ("fifo", "none"), ("blevel", "link"), ("blevel", "none")]
)
def test_the_figures_are_the_judge_s(order: str, contention: str, shared: Path) -> None:
    spec = importlib.util.spec_from_file_location("judge", shared / "judge/evaluate.py")
    assert spec is not None
    assert spec.loader is not None
    judge = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(judge)
    path = shared / "data/cost_graphs/lat_op_bert_l3.json.gz"
    plan = pardnn.partition(path, gpus=4, order=order, contention=contention, method="pardnn")
    told = judge.evaluate(judge.load(path), plan.device.tolist(), 4, order=order, contention=contention)
    assert (plan.makespan_us, plan.peak_bytes) == (told["makespan"], told["peak"])


def test_a_large_random_cost_graph_survives_a_round_trip(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    n, m = 300, 900
    ends = np.sort(rng.integers(0, n, (m, 2)), axis=1).astype(np.int32)
    ends = ends[ends[:, 0] != ends[:, 1]]
    time, resident, output, temp = rng.integers(0, 1000, (4, n))
    made = CostGraph(
        tuple(f"n{i}" for i in range(n)), ("",) * n, time, resident, output, temp,
        ends[:, 0].copy(), ends[:, 1].copy(), rng.integers(0, 99, len(ends)).astype(np.int64),
    )  # fmt: skip
    path = tmp_path / "g.json.gz"
    path.write_bytes(write_cost_graph(made, packed=True))
    plan = pardnn.partition(path, gpus=4, method="heft")
    assert len(plan.placement) == n
    assert plan.fits
