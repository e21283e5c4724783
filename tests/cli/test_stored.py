"""`pardnn apply`, `simulate` and `explain`: commands that look at a stored plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Program


def planned(pardnn: Program, graph: Path, *options: object) -> dict[str, Any]:
    """The result of a plan that is now in plan.placement.json."""
    done = pardnn("partition", graph, *options, "-o", "plan.placement.json", "--json", "-q")
    assert done.code == 0, done.err
    return dict(done.result)


def edit(path: Path, **changes: Any) -> None:
    content = json.loads(path.read_text())
    path.write_text(json.dumps(content | changes))


@pytest.mark.parametrize(
    "options",
    [
        ("--gpus", 2, "--method", "heft"),
        ("--gpus", "1,3", "--mem", "1GB,2GB", "--speed", "1,1.5", "--method", "heft"),
        ("--gpus", 3, "--latency", "7us", "--bandwidth", "3GB/s", "--mem", "1MB", "--mem-fraction", "0.5"),
        ("--gpus", 1, "--order", "blevel", "--bandwidth", "1B/s"),
        ("--machine", "dgx2-v100", "--gpus", 2, "--order", "blevel", "--contention", "none", "--method", "round-robin"),
    ],
    ids=str,
)
def test_simulating_a_plan_gives_its_own_figures(pardnn: Program, diamond: Path, options: tuple[object, ...]) -> None:
    made = planned(pardnn, diamond, *options)
    again = pardnn("simulate", diamond, "plan.placement.json", "--json").result
    for key in made.keys() - {"seconds", "outputs", "alternatives"}:
        assert again[key] == made[key], key


def test_options_override_the_plan_s(pardnn: Program, diamond: Path) -> None:
    planned(pardnn, diamond, "--gpus", 2, "--method", "round-robin")
    slow = pardnn("simulate", diamond, "plan.placement.json", "--latency", "1ms", "--json").result
    fast = pardnn("simulate", diamond, "plan.placement.json", "--json").result
    assert slow["makespan_us"] >= fast["makespan_us"] + 990
    other = pardnn("simulate", diamond, "plan.placement.json", "--order", "blevel", "--contention", "none", "--json")
    assert (other.result["order"], other.result["contention"]) == ("blevel", "none")


def test_a_plan_that_does_not_fit_is_shown_and_told(pardnn: Program, diamond: Path) -> None:
    planned(pardnn, diamond, "--gpus", 2, "--method", "heft")
    done = pardnn("simulate", diamond, "plan.placement.json", "--mem", "6kB", "--json", "-q")
    assert (done.code, done.result["fits"]) == (3, False)
    assert done.err.startswith("pardnn: the plan does not fit: GPU:")
    assert "first over it " in done.err
    typed = done.err.partition("--mem ")[2].split()[0]
    assert pardnn("simulate", diamond, "plan.placement.json", "--mem", typed).code == 0
    crowded = pardnn("simulate", diamond, "plan.placement.json", "--mem", "1kB", "-q")
    assert "the variables alone are " in crowded.err
    assert "It does not fit." in crowded.out


def test_a_plan_by_hand_needs_no_machine(pardnn: Program, diamond: Path, tmp_path: Path) -> None:
    planned(pardnn, diamond, "--gpus", 2, "--method", "heft")
    place = {
        "a": "/gpu:1",
        "b": "/device:GPU:1",
        "c": "/job:localhost/replica:0/task:0/device:GPU:0",
        "d": "/device:GPU:1",
    }
    devices = ["/device:GPU:0", "/device:GPU:1", "/gpu:1", place["c"]]
    edit(tmp_path / "plan.placement.json", machine={}, options={}, expected={}, placement=place, devices=devices)
    result = pardnn("simulate", diamond, "plan.placement.json", "--gpus", 2, "--json").result
    assert result["method"] == "by hand"
    assert [row["ops"] for row in result["per_device"]] == [1, 3]
    assert result["makespan_us"] == pytest.approx(10 + 10.084 + 500 + 10.084 + 10)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"placement": dict.fromkeys("abcd", "/device:TPU:0"), "devices": ["/device:TPU:0"]}, "uses /device:TPU:0"),
        ({"placement": {"x": "/device:GPU:0"}}, "4 of 4 of the graph's ops are not in the plan ('a' is one)"),
        ({"machine": {"name": "lab"}}, "was made for a machine file 'lab': give it again with --machine lab.toml"),
        ({"machine": {"latency_ns": "x", "bytes_per_s": 3}}, "'machine' holds what no plan holds"),
        ({"options": {"order": "lifo"}}, "--order: 'lifo' is not one of"),
        ({"format": "other"}, "is no plan"),
    ],
)
def test_a_plan_that_cannot_be_followed_is_exit_2(
    pardnn: Program, diamond: Path, tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    planned(pardnn, diamond, "--gpus", 2, "--method", "heft")
    edit(tmp_path / "plan.placement.json", **changes)
    done = pardnn("simulate", diamond, "plan.placement.json", "--gpus", 2)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err


def test_a_plan_that_breaks_a_group_is_warned_of(pardnn: Program, diamond: Path, tmp_path: Path) -> None:
    columns = json.loads(diamond.read_text()) | {
        "colocate": ["x", "x", None, None],
        "device": [None, None, "/gpu:0", None],
    }
    diamond.write_text(json.dumps(columns))
    planned(pardnn, diamond, "--gpus", 2, "--method", "heft")
    place = {"a": "/device:GPU:0", "b": "/device:GPU:1", "c": "/device:GPU:1", "d": "/device:GPU:0"}
    edit(tmp_path / "plan.placement.json", placement=place)
    warnings = pardnn("simulate", diamond, "plan.placement.json", "--json", "-q").result["warnings"]
    assert warnings == ["'c' sits on another device than the one it needs", "'b' is apart from its group"]


def test_applying_a_plan_gives_the_placed_graph(pardnn: Program, example_graph: Path, tmp_path: Path) -> None:
    options = ("--gpus", 4, "--mem", "16GB", "--method", "pardnn", "-o", "p.placement.json", "-o", "first.pbtxt")
    assert pardnn("partition", example_graph, *options).code == 0
    done = pardnn("apply", example_graph, "p.placement.json", "-o", "second.pbtxt", "--json")
    assert (done.result["matched"], done.result["new"], done.result["gone"]) == (346, 0, 0)
    assert (tmp_path / "second.pbtxt").read_bytes() == (tmp_path / "first.pbtxt").read_bytes()
    placed = pardnn("apply", "first.pbtxt", "p.placement.json", "-o", "third.pbtxt")
    assert placed.code == 0
    assert "346 ops matched, 0 new, 0 gone" in placed.out
    assert (tmp_path / "third.pbtxt").read_bytes() == (tmp_path / "first.pbtxt").read_bytes()
    refused = pardnn("apply", example_graph, "p.placement.json", "-o", "p.placement.json", "--force")
    assert (refused.code, "is an input" in refused.err) == (2, True)


def test_new_ops_go_where_their_neighbours_are(pardnn: Program, example_graph: Path, tmp_path: Path) -> None:
    assert pardnn("partition", example_graph, "--gpus", 4, "--method", "pardnn", "-o", "p.placement.json").code == 0
    changed = example_graph.read_text().replace('"four_view_1/logits_1/MatMul"', '"four_view_1/logits_1/Product"')
    (tmp_path / "changed.pbtxt").write_text(changed)
    done = pardnn("apply", "changed.pbtxt", "p.placement.json", "-o", "x.pbtxt", "-o", "x.placement.json", "--json")
    assert (done.code, done.result["matched"]) == (0, 345)
    assert done.result["new_ops"] == ["four_view_1/logits_1/Product"]
    assert done.result["gone_ops"] == ["four_view_1/logits_1/MatMul"]
    place = json.loads((tmp_path / "x.placement.json").read_text())["placement"]
    near = {place["four_view_1/logits_1/BiasAdd"], place["four_view_1/pool_1/Mean"]}
    assert place["four_view_1/logits_1/Product"] in near


def test_a_plan_for_another_graph_is_refused(pardnn: Program, example_graph: Path, diamond: Path) -> None:
    planned(pardnn, diamond, "--gpus", 2, "--method", "heft")
    done = pardnn("apply", example_graph, "plan.placement.json", "-o", "x.pbtxt")
    assert done.code == 2
    assert "346 of 346 of the graph's ops are not in the plan" in done.err


def test_explaining_names_neighbours_and_alternatives(pardnn: Program, diamond: Path) -> None:
    made = planned(pardnn, diamond, "--gpus", 3, "--method", "heft")
    why = pardnn("explain", diamond, "plan.placement.json", "c", "--json").result
    assert (why["op"], why["kind"], why["time_us"], why["slack_us"], why["pinned"]) == ("c", "MatMul", 500, 0, "")
    assert sum(row["reads"] for row in why["traffic"]) == sum(row["feeds"] for row in why["traffic"]) == 1
    assert sum(row["read_bytes"] for row in why["traffic"]) == 1000
    place = json.loads(Path("plan.placement.json").read_text())["placement"]
    assert [move["device"] for move in why["moves"]] != []
    for move in why["moves"]:
        edit(Path("plan.placement.json"), placement=place | {"c": f"/device:{move['device']}"})
        moved = pardnn("simulate", diamond, "plan.placement.json", "--json").result
        assert moved["makespan_us"] - made["makespan_us"] == pytest.approx(move["change_us"])
        assert moved["peak_bytes"][int(move["device"][-1])] == move["peak_bytes"]
    assert [move["change_us"] for move in why["moves"]] == sorted(move["change_us"] for move in why["moves"])


def test_explaining_reads_as_sentences(pardnn: Program, diamond: Path) -> None:
    planned(pardnn, diamond, "--gpus", 2, "--method", "single")
    said = pardnn("explain", diamond, "plan.placement.json", "b").out.splitlines()
    assert said[0] == "b (MatMul) sits on GPU:0."
    assert said[1] == "It runs for 500 us, from 10.0 us into a step of 1.02 ms."
    assert said[2] == "It is critical: each moment it takes longer, the step takes longer."
    assert said[3] == "It reads 1 input on GPU:0 (1000 B)."
    assert said[4] == "It feeds 1 reader on GPU:0 (1000 B)."
    assert said[5].startswith(
        "Second best: with the op on GPU:1 the step would take 480 us (47 %) less; GPU:1 would hold "
    )


def test_explaining_says_what_is_pinned_and_grouped(pardnn: Program, diamond: Path) -> None:
    columns = json.loads(diamond.read_text()) | {
        "colocate": ["x", "x", None, None],
        "device": ["/gpu:1", None, None, None],
    }
    diamond.write_text(json.dumps(columns))
    planned(pardnn, diamond, "--gpus", 2, "--method", "heft")
    said = pardnn("explain", diamond, "plan.placement.json", "b").out
    assert "It must share its device with 1 op: a." in said
    assert "It may sit nowhere else: it, or an op that must sit with it, is pinned to GPU:1." in said
    assert "Second best" not in said


def test_a_misspelt_op_gets_suggestions(pardnn: Program, example_graph: Path) -> None:
    planned(pardnn, example_graph, "--gpus", 2, "--method", "fill")
    near = pardnn("explain", example_graph, "plan.placement.json", "four_view_1/logits_1/MatMool")
    assert (near.code, near.err.count("\n")) == (2, 1)
    assert "did you mean 'four_view_1/logits_1/MatMul'" in near.err
    part = pardnn("explain", example_graph, "plan.placement.json", "logits_1/biasadd")
    assert "did you mean 'four_view_1/logits_1/BiasAdd'" in part.err
    pruned = json.loads(Path("plan.placement.json").read_text())["unplaced"]
    name, reason = next(iter(pruned.items()))
    assert (
        f"{name!r} has no device: it was pruned ({reason})"
        in pardnn("explain", example_graph, "plan.placement.json", name).err
    )
