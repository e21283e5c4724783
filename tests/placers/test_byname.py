"""A plan as a device function: by op name, from a plan or its file, other devices playing the GPUs."""

from pathlib import Path
from types import SimpleNamespace

import pytest

import pardnn
from pardnn.errors import InputError


@pytest.fixture(scope="module")
def plan(example_graph: Path) -> pardnn.Plan:
    return pardnn.partition(example_graph, gpus=2, method="round-robin")


def test_ops_get_the_devices_of_the_plan(plan: pardnn.Plan, tmp_path: Path) -> None:
    path = tmp_path / "x.placement.json"
    plan.save(path)
    for given in (plan, path, str(path)):
        device = pardnn.device_function(given)
        assert {name: device(SimpleNamespace(name=name)) for name in plan.placement} == plan.placement
        assert device(SimpleNamespace(name="no op of the plan")) == ""


def test_other_devices_can_play_the_gpus(plan: pardnn.Plan) -> None:
    device = pardnn.device_function(plan, devices=["/device:CPU:1", "/device:CPU:2"])
    played = {plan.placement[name]: device(SimpleNamespace(name=name)) for name in plan.placement}
    assert played == {"/device:GPU:0": "/device:CPU:1", "/device:GPU:1": "/device:CPU:2"}
    with pytest.raises(InputError, match="3 names for 2 GPUs"):
        pardnn.device_function(plan, devices=["a", "b", "c"])


def test_a_file_that_is_no_plan_is_refused(example_graph: Path) -> None:
    with pytest.raises(InputError, match="is it a plan"):
        pardnn.device_function(example_graph)


@pytest.mark.parametrize("thing", [None, {"op": "/device:GPU:0"}, 3])
def test_a_thing_that_is_no_plan_is_refused(thing: object) -> None:
    with pytest.raises(InputError, match=f"{type(thing).__name__} is no plan: give a plan or the path"):
        pardnn.device_function(thing)
