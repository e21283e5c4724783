"""Branches, loops and functions in functions of live models: the numbers of the unplaced run, every op in its place."""

from typing import Any

import pytest

from tests.keras.test_place import answers, pytestmark  # noqa: F401 - pytest reads the marks here too

Facts = dict[str, Any]

BODIES = (
    "branch", "case", "branches_in_branches", "loop", "branch_in_a_loop", "own_gradient", "recomputed", "compiled",
    "scaled",
)  # fmt: skip
TIED = ("loop", "compiled")
"""A unit holds most of the variables, so that with the host's counters there is no turn left for a fourth device."""


@pytest.fixture(scope="module")
def trained() -> dict[str, Facts]:
    return dict(answers("bodied"))


@pytest.mark.parametrize("body", BODIES)
def test_numbers_equal_those_of_the_unplaced_run(trained: dict[str, Facts], body: str) -> None:
    found = trained[body]
    assert found["placed_losses"] == found["losses"]
    assert len(set(found["losses"])) == 2
    assert found["weights"]
    assert found["predicted"]


@pytest.mark.parametrize("body", BODIES)
def test_every_op_runs_where_the_plan_says(trained: dict[str, Facts], body: str) -> None:
    found = trained[body]
    assert found["moved"] == {}
    assert found["bare"] == []
    assert found["checked"] > 0.9 * found["ops"]
    assert found["gone"] < 0.1 * found["ops"]
    assert len(found["variables"]) == (3 if body in TIED else 4)


@pytest.mark.parametrize("body", ["branch", "case", "branches_in_branches", "scaled"])
def test_branches_are_spread(trained: dict[str, Facts], body: str) -> None:
    assert trained[body]["in_bodies"] > 30
    assert len(trained[body]["bodies"]) == 4


@pytest.mark.parametrize(("body", "devices"), [("branch", 2), ("case", 2), ("loop", 1), ("compiled", 1)])
def test_only_a_loop_and_xla_keep_their_weights_together(trained: dict[str, Facts], body: str, devices: int) -> None:
    assert len(trained[body]["layer"]) == devices


def test_an_optimizer_that_scales_the_loss_is_spread(trained: dict[str, Facts]) -> None:
    assert trained["scaled"]["in_bodies"] > 200


def test_a_placed_file_with_branches_runs_in_a_session_as_planned() -> None:
    """TensorFlow would refuse a device that cannot be: soft placement is off."""
    (found,) = answers("filed")
    assert found["equal"]
    assert found["variables"] == [26, 4]
    assert found["ran"] > 0.7 * found["ops"]
    assert found["inside"] > 100
    assert found["elsewhere"] == []
