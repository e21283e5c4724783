"""`--control-edges` from the command line to the placed graph and back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pardnn.readers import read_graph
from tests.real.command import pardnn

GRAPH = "data/graphs/graphdef/tf_keras_imagenet_main_graph_mode.pbtxt"
ASKED = ("--gpus", 4, "--effort", "fast", "--json")


def _costs(path: Path) -> Path:
    """Fifo runs `late` before `urgent`, whose reader sits on the other GPU."""
    graph = {
        "name": ["late", "urgent", "reader"], "time": [10, 10, 10], "resident": [0] * 3, "output": [0] * 3,
        "temp": [0] * 3, "src": [1], "dst": [2], "bytes": [1],
        "device": ["/device:GPU:0", "/device:GPU:0", "/device:GPU:1"],
    }  # fmt: skip
    path.write_text(json.dumps(graph))
    return path


def test_a_cost_graph_gets_its_edges_in_the_plan(tmp_path: Path) -> None:
    graph, plan = _costs(tmp_path / "costs.json"), tmp_path / "x.placement.json"
    links = ("--latency", "0us", "--bandwidth", "1000GB/s")
    found = pardnn("partition", graph, *ASKED, *links, "--control-edges", "-o", plan).json
    assert found["control_edges"]["count"] == 1
    assert found["control_edges"]["makespan_us_before"] > 1.4 * found["control_edges"]["makespan_us"]
    assert json.loads(plan.read_text())["control_edges"] == [["urgent", "late"]]
    assert pardnn("simulate", graph, plan, "--json").json["makespan_us"] == found["makespan_us"]
    assert pardnn("check", graph, plan, "--max-makespan", "+0%").code == 0


def test_without_the_option_nothing_is_said_of_edges(tmp_path: Path) -> None:
    graph, plan = _costs(tmp_path / "costs.json"), tmp_path / "x.placement.json"
    found = pardnn("partition", graph, *ASKED, "-o", plan).json
    assert "control_edges" not in found
    assert "control_edges" not in json.loads(plan.read_text())


@pytest.mark.parametrize("edges", [{}, [["a"]], [["a", 1]], ["ab"], [["a", "b", "c"]]])
def test_a_plan_with_other_things_for_edges_is_refused(tmp_path: Path, edges: object) -> None:
    graph, plan = _costs(tmp_path / "costs.json"), tmp_path / "x.placement.json"
    pardnn("partition", graph, *ASKED, "-o", plan)
    plan.write_text(json.dumps(json.loads(plan.read_text()) | {"control_edges": edges}))
    answer = pardnn("simulate", graph, plan)
    assert answer.code == 2
    assert "'control_edges' is no list of pairs of ops" in answer.error


def test_edges_that_do_not_belong_are_left_out(tmp_path: Path) -> None:
    """Across devices, into a cycle, between ops that are gone: the plan is simulated without them."""
    graph, plan = _costs(tmp_path / "costs.json"), tmp_path / "x.placement.json"
    found = pardnn("partition", graph, *ASKED, "-o", plan).json
    edges = [["late", "reader"], ["gone", "late"], ["reader", "urgent"]]
    plan.write_text(json.dumps(json.loads(plan.read_text()) | {"control_edges": edges}))
    told = pardnn("simulate", graph, plan, "--json").json
    assert told["makespan_us"] == found["makespan_us"]
    note = "3 of 3 control edges of the plan are left out: 1 name an op that is not in the graph; "
    assert any(line.startswith(note) for line in told["warnings"])
    assert pardnn("check", graph, plan, "--json").json["control_edges_left_out"] == 3
    assert note in pardnn("check", graph, plan).error


def test_edges_that_close_a_cycle_are_left_out_and_told(tmp_path: Path) -> None:
    """Each op before the other: the first of the two edges holds."""
    graph, plan = _costs(tmp_path / "costs.json"), tmp_path / "x.placement.json"
    pardnn("partition", graph, *ASKED, "-o", plan)
    edges = [["urgent", "late"], ["late", "urgent"]]
    plan.write_text(json.dumps(json.loads(plan.read_text()) | {"control_edges": edges}))
    told = pardnn("simulate", graph, plan, "--json").json
    assert told["control_edges"]["count"] == 1
    assert any("1 of 2 control edges of the plan are left out" in line for line in told["warnings"])


@pytest.mark.slow
def test_apply_and_simulate_agree_on_a_real_graph(tmp_path: Path, shared: Path) -> None:
    """The graph with its edges written in takes as long as the plan that lists them, and has no others."""
    graph, placed, plan = shared / GRAPH, tmp_path / "g.pbtxt", tmp_path / "g.placement.json"
    found = pardnn("partition", graph, *ASKED, "--control-edges", "-o", placed, "-o", plan).json
    edges = json.loads(plan.read_text())["control_edges"]
    assert len(edges) == found["control_edges"]["count"] > 0
    before, after = ({n.name: n.inputs for n in read_graph(p)[0].nodes} for p in (graph, placed))
    added = [[text[1:], name] for name, inputs in after.items() for text in inputs[len(before[name]) :]]
    assert sorted(added) == sorted(edges)
    assert all(inputs[: len(before[name])] == before[name] for name, inputs in after.items())
    for source in (graph, placed):
        assert pardnn("simulate", source, plan, "--json").json["makespan_us"] == found["makespan_us"]
    pardnn("apply", graph, plan, "-o", tmp_path / "again.pbtxt")
    assert (tmp_path / "again.pbtxt").read_bytes() == placed.read_bytes()
