"""`pardnn diff`: from one plan to another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Program


def save(name: str, placement: dict[str, str], **changes: Any) -> str:
    """A plan file with short device names."""
    content: dict[str, Any] = {
        "format": "pardnn-placement/1", "version": "1", "graph": {"name": "g", "sha256": "0" * 64, "nodes": 4},
        "machine": {}, "options": {}, "unplaced": {}, "devices": [f"/device:GPU:{d}" for d in range(3)],
        "placement": {op: f"/device:{device}" for op, device in placement.items()},
        "expected": {"makespan_us": 100.0, "peak_bytes": [10, 20, 0], "lower_bound_us": 50.0, "comm_bytes": 1000},
    }  # fmt: skip
    Path(name).write_text(json.dumps(content | changes))
    return name


def test_control_edges_are_held_beside_each_other(pardnn: Program) -> None:
    old = save("old", OLD, control_edges=[["net/a/x", "net/a/y"], ["net/b/z", "gone"]])
    new = save("new", OLD, control_edges=[["net/a/x", "net/a/y"]])
    found = pardnn("diff", old, new, "--json").result["control_edges"]
    assert found == {
        "old": 2, "new": 1, "change": -1, "only_old": [["net/b/z", "gone"]], "only_new": [], "unmatched": 1,
    }  # fmt: skip
    assert "2 -> 1: 1 in the old only, 1 with an op that its plan does not place" in pardnn("diff", old, new).out
    assert "control edges" not in pardnn("diff", save("a", OLD), save("b", OLD)).out


OLD = {"net/a/x": "GPU:0", "net/a/y": "GPU:0", "net/b/z": "GPU:1", "loss": "CPU:0"}


def test_moves_figures_and_strangers(pardnn: Program) -> None:
    old = save("old", OLD)
    new = save(
        "new", {"net/a/x": "GPU:0", "net/a/y": "GPU:2", "net/b/z": "GPU:2", "extra": "GPU:1"},
        expected={"makespan_us": 80.0, "peak_bytes": [10, 5, 30], "lower_bound_us": 50.0},
        graph={"name": "h", "sha256": "1" * 64, "nodes": 5}, options={"method": "heft"},
    )  # fmt: skip
    found = pardnn("diff", old, new, "--json").result
    assert found["moved_ops"] == {
        "net/a/y": ["/device:GPU:0", "/device:GPU:2"], "net/b/z": ["/device:GPU:1", "/device:GPU:2"],
    }  # fmt: skip
    assert [(row["scope"], row["moved"], row["ops"]) for row in found["by_scope"]] == [("net/a", 1, 2), ("net/b", 1, 1)]
    assert (found["only_old"], found["only_new"], found["ops"], found["moved"]) == (["loss"], ["extra"], 3, 2)
    assert found["expected"]["makespan_us"] == {"old": 100.0, "new": 80.0, "change": -20.0}
    assert found["expected"]["comm_bytes"] == {"old": 1000, "new": None, "change": None}
    rows = {row["device"]: row for row in found["devices"]}
    assert rows["/device:GPU:2"]["ops"] == [0, 2]
    assert rows["/device:GPU:2"]["peak_bytes"]["change"] == 30
    assert rows["/device:CPU:0"]["ops"] == [1, 0]
    assert found["options"] == {"method": [None, "heft"]}
    assert found["same_graph"] is False

    done = pardnn("diff", old, new)
    assert done.code == 0
    assert "the plans are for different files" in done.err
    last = done.out.strip().splitlines()[-1]
    assert last == "2 of 3 ops moved (1 but for the devices' names); 2 ops in one plan only; the step takes 20 % less."


def test_spelling_is_no_move(pardnn: Program) -> None:
    old, new = save("old", {"a": "GPU:0", "b": "GPU:1"}), save("new", {})
    content = json.loads(Path(new).read_text())
    content["placement"] = {"a": "/gpu:0", "b": "/job:localhost/replica:0/task:0/device:GPU:1"}
    content["devices"] = list(content["placement"].values())
    Path(new).write_text(json.dumps(content))
    found = pardnn("diff", old, new, "--json").result
    assert (found["moved"], found["ops"], found["by_scope"]) == (0, 2, [])
    assert pardnn("diff", old, new).out.strip().endswith("No op moved.")


def test_the_same_placement_under_other_names_is_recognised(pardnn: Program) -> None:
    swap = {"GPU:0": "GPU:1", "GPU:1": "GPU:0", "CPU:0": "CPU:0"}
    old, new = save("old", OLD), save("new", {op: swap[device] for op, device in OLD.items()})
    found = pardnn("diff", old, new, "--json").result
    assert (found["moved"], found["moved_but_for_names"]) == (3, 0)
    assert found["renamed"] == {"/device:GPU:0": "/device:GPU:1", "/device:GPU:1": "/device:GPU:0"}
    assert "The same placement under other device names." in pardnn("diff", old, new).out


def test_scopes_are_as_deep_as_a_page_has_room_for(pardnn: Program) -> None:
    names = [f"net/layer_{i}/op_{j}" for i in range(30) for j in range(2)]
    old, new = save("old", dict.fromkeys(names, "GPU:0")), save("new", dict.fromkeys(names, "GPU:1"))
    assert [row["scope"] for row in pardnn("diff", old, new, "--json").result["by_scope"]] == ["net"]


@pytest.mark.parametrize("content", ["{}", "not json", '{"format": "pardnn-placement/1"}'])
def test_a_broken_plan_is_exit_2(pardnn: Program, content: str) -> None:
    old = save("old", OLD)
    Path("broken").write_text(content)
    for arguments in ((old, "broken"), ("broken", old), (old, "absent")):
        done = pardnn("diff", *arguments)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
