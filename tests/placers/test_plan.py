"""The plan file: the same bytes for the same plan, read back, and refused where its parts contradict each other."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from pardnn.errors import InputError
from pardnn.placers.plan import PlanFile, parse_plan, plan_bytes, read_plan

PLAN = PlanFile(
    graph_name="graph.pbtxt",
    graph_sha256="0" * 64,
    graph_nodes=3,
    devices=("/device:GPU:0", "/device:GPU:1"),
    placement={"模型/b": "/device:GPU:1", "a": "/device:CPU:0"},
    unplaced={"save": "not needed by the training step"},
    machine={"latency_ns": 10_000},
    options={"method": "auto", "seed": 0},
    expected={"makespan_us": 1.5, "peak_bytes": [1, 2], "lower_bound_us": 1.0, "batch_size": None},
    version="0.1.0",
)


def test_a_plan_comes_back_and_its_keys_are_sorted(tmp_path: Path) -> None:
    data = plan_bytes(PLAN)
    (tmp_path / "plan").write_bytes(data)
    assert read_plan(tmp_path / "plan") == PLAN
    content = json.loads(data)
    assert list(content) == sorted(content)
    assert list(content["placement"]) == ["a", "模型/b"]
    assert set(content) == {
        "format", "graph", "machine", "options", "version", "devices", "placement", "unplaced", "expected",
    }  # fmt: skip
    assert content["graph"] == {"name": "graph.pbtxt", "sha256": "0" * 64, "nodes": 3}


def test_the_order_of_a_dict_does_not_matter() -> None:
    turned = dataclasses.replace(PLAN, placement=dict(reversed(list(PLAN.placement.items()))))
    assert plan_bytes(turned) == plan_bytes(PLAN)


def changed(**parts: Any) -> bytes:
    content = json.loads(plan_bytes(PLAN)) | parts
    return json.dumps({key: value for key, value in content.items() if value is not None}).encode()


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r"p:1: no valid JSON"),
        (b'{"format":\n"x",}', r"p:2: no valid JSON"),
        (b"[" * 100_000, "no valid JSON"),
        (b"\xff\xfe\xfd", "no valid JSON"),
        (b"[]", "is no plan: its format is 'None'"),
        (b'{"time": []}', "is no plan"),
        (changed(format="pardnn-placement/2"), "its format is 'pardnn-placement/2', not 'pardnn-placement/1'"),
        (changed(graph=None), "'graph' is missing"),
        (changed(graph={"name": "g", "sha256": "0" * 64, "nodes": "3"}), "'nodes' is not a whole number"),
        (changed(graph={"name": "g", "sha256": "0" * 64, "nodes": True}), "'nodes' is not a whole number"),
        (changed(graph={"name": "g", "sha256": "xyz", "nodes": 3}), "not 64 hexadecimal digits"),
        (changed(placement=[]), "'placement' is not an object"),
        (changed(placement={"a": 0}), "'placement' of 'a' is not a text"),
        (changed(placement={"a": "/device:GPU:7"}), "op 'a' is placed on '/device:GPU:7', which is not among"),
        (changed(placement={"save": "/device:GPU:0"}), "op 'save' is both in"),
        (changed(devices="GPU"), "'devices' is not a list"),
        (changed(devices=["x", "x"]), "not different texts"),
        (changed(devices=[["x"]]), "not different texts"),
        (changed(unplaced={"b": None}), "'unplaced' of 'b' is not a text"),
        (changed(expected={"makespan_us": float("nan")}), "NaN is no number"),
    ],
)
def test_what_is_no_plan_is_refused_in_one_line(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        parse_plan(data, "p")
    assert "\n" not in str(error.value)
    assert str(error.value).startswith("p:")


def test_a_plan_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_plan(tmp_path / "absent")


@pytest.mark.parametrize("figure", [10**400, -(10**30), [1, 10**25]])
def test_expected_figures_that_no_step_can_have_are_refused(figure: Any) -> None:
    changed = dataclasses.replace(PLAN, expected={"lower_bound_us": figure})
    with pytest.raises(InputError, match="'lower_bound_us' is beyond what a step can be"):
        parse_plan(plan_bytes(changed), "x.placement.json")
