"""`pardnn inspect`: the facts, and the export that the judge agrees with."""

from __future__ import annotations

import gzip
import importlib.util
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pardnn.config import Options
from pardnn.pipeline import measured
from pardnn.subject import pose
from tests.cli.conftest import Program


def test_the_facts_of_the_example(pardnn: Program, example_graph: Path) -> None:
    found = pardnn("inspect", example_graph, "--json").result
    assert (found["nodes"], found["placed"], found["kind"], found["text"]) == (390, 346, "GraphDef", True)
    assert sum(found["pruned"].values()) == 390 - 346 == found["coverage"]["pruned"]
    assert found["groups"]["ops"] == 108
    assert found["groups"]["largest"][0]["by_type"] == {"ReadVariableOp": 24, "VarHandleOp": 1}
    assert sum(row["count"] for row in found["op_types"]) == 346
    assert sum(row["time_us"] for row in found["op_types"]) == pytest.approx(found["time_us"])
    times = [row["time_us"] for row in found["op_types"]]
    assert times == sorted(times, reverse=True)


def test_devices_and_hosts_and_loops_are_counted(pardnn: Program, shared: Path) -> None:
    graph = shared / "data/graphs/graphdef/ssd_hikapok_graph.pbtxt"
    found = pardnn("inspect", graph, "--json", "-q").result
    assert (found["nodes"], found["edges"], found["loops"]) == (5699, 9066, 8)
    assert {name.rpartition("/device:")[2] for name in found["devices_in_file"]} == {"CPU:0", "GPU:0"}
    assert sum(found["host_ops"].values()) > 0


def test_the_page_is_plain_text(pardnn: Program, example_graph: Path) -> None:
    done = pardnn("inspect", example_graph)
    assert done.err == ""
    assert "44 not needed by the training step" in done.out
    assert "28 with 108 ops" in done.out
    assert "\x1b" not in done.out


def test_a_cost_graph_can_be_inspected(pardnn: Program, diamond: Path) -> None:
    found = pardnn("inspect", diamond, "--json").result
    assert (found["kind"], found["nodes"], found["depth"], found["time_us"]) == ("cost graph", 4, 3, 1020)


def test_an_export_that_exists_is_kept(pardnn: Program, diamond: Path, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text("mine")
    assert pardnn("inspect", diamond, "--export", "x.json").code == 2
    assert (tmp_path / "x.json").read_text() == "mine"


@pytest.mark.parametrize(
    "name",
    [
        "graphdef/tf_keras_imagenet_main_graph_mode.pbtxt",
        "made/tf1_while_rnn_train.pb",
        "graphdef/tf_tfprof_graph.pbtxt",
    ],
)
@pytest.mark.parametrize(("order", "contention"), [("fifo", "link"), ("blevel", "none")])
def test_the_judge_agrees_on_the_export(
    pardnn: Program, shared: Path, tmp_path: Path, name: str, order: str, contention: str
) -> None:
    graph = shared / "data/graphs" / name
    assert pardnn("inspect", graph, "--export", "x.json.gz", "-q").code == 0
    columns = json.loads(gzip.decompress((tmp_path / "x.json.gz").read_bytes()))
    options = Options.of(gpus=3, order=order, contention=contention)
    subject = pose(graph, options)
    rng = np.random.default_rng(7)
    place = subject.problem.settle(rng.integers(3, size=len(subject.names)).astype(np.int32))
    ours = measured(subject, options, place)
    judged = judge(shared).evaluate(
        columns, place.tolist(), subject.problem.machine.k, order=order, contention=contention
    )
    assert ours.makespan_us == judged["makespan"]
    assert [row["peak_bytes"] for row in ours.per_device] == judged["peak"]
    assert columns["name"] == list(subject.names)
    pinned = [d is not None for d in columns.get("device", [None] * len(place))]
    assert pinned == (subject.problem.pin >= 0).tolist()


def judge(shared: Path) -> Any:
    spec = importlib.util.spec_from_file_location("judge", shared / "judge/evaluate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_an_export_is_placed_like_its_graph(pardnn: Program, example_graph: Path, tmp_path: Path) -> None:
    assert pardnn("inspect", example_graph, "--export", "x.json").code == 0
    figures = []
    for graph, name in ((example_graph, "a"), (tmp_path / "x.json", "b")):
        done = pardnn("partition", graph, "--gpus", 4, "--method", "pardnn", "-o", f"{name}.placement.json", "--json")
        figures.append([done.result[key] for key in ("makespan_us", "peak_bytes", "comm_bytes", "lower_bound_us")])
    assert figures[0] == figures[1]
    first, second = (json.loads((tmp_path / f"{n}.placement.json").read_text())["placement"] for n in "ab")
    assert first == second
