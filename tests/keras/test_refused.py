"""What goes wrong around a placed model is one line with what to do, and the model trains as an untouched one."""

import os
import subprocess
import sys
from importlib.util import find_spec
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.keras.test_place import answers, pytestmark  # noqa: F401 - the same conditions

Facts = dict[str, Any]


@pytest.fixture(scope="module")
def told() -> dict[str, Facts]:
    return dict(answers("refused"))


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("same device", "one is named twice; give another for each GPU"),
        ("no gpus", "at least one GPU is needed"),
        ("memory", "not a size: 'much'; write for example 16GB"),
        ("method", "3 is no name"),
        ("machine", "unknown machine 'none': give a TOML file or one of"),
        ("pins", "/nowhere: cannot be read"),
        ("batch", "0 is not a whole number from 1 on"),
        ("fraction", "2 is not a share of the memory"),
        ("costs", "no cost model 'guessed'"),
        ("targets", "targets are for graphs"),
    ],
)
def test_wrong_options_are_told_before_anything_is_done(told: dict[str, Facts], option: str, words: str) -> None:
    line = told["options"]["words"][option]
    assert words in line
    assert "\n" not in line
    assert told["options"]["clean"]
    assert told["options"]["equal"]


@pytest.mark.parametrize("thing", ["None", "text", "layer", "optimizer", "class", "routine", "module", "plan"])
def test_what_cannot_be_placed_is_told_by_its_kind(told: dict[str, Facts], thing: str) -> None:
    remedy = (
        "decorate it with @tf.function" if thing == "routine" else "give a Keras model, a tf.function or a tf.Graph"
    )
    assert remedy in told["kinds"][thing]
    assert "\n" not in told["kinds"][thing]


@pytest.mark.parametrize("what", ["op", "model"])
def test_what_does_not_fit_is_told_with_a_memory_that_works(told: dict[str, Facts], what: str) -> None:
    line = told["too_large"]["words"][what]
    assert "works (tried)" in line
    assert "\n" not in line
    assert told["too_large"]["equal"]


def test_a_model_is_built_and_compiled_when_it_may_be(told: dict[str, Facts]) -> None:
    assert told["not_built"] == {"equal": True, "ok": True}
    assert told["not_compiled"] == {"words": "You must call `compile()` before using the model.", "ok": True}


def test_run_eagerly_after_placing(told: dict[str, Facts]) -> None:
    found = told["eager_after"]
    assert "compile with run_eagerly=False" in found["words"]
    assert found["equal"]
    assert found["ok"]


def test_a_plan_removed_twice_leaves_a_later_one_alone(told: dict[str, Facts]) -> None:
    assert told["removed_twice"] == {"equal": True, "ok": True, "spread": 4}


def test_clones_copies_and_pickles_are_unplaced_models(told: dict[str, Facts]) -> None:
    found = dict(told["copied"])
    assert found.pop("placed") is False
    assert found.pop("ok")
    assert found == {f"{name} {when}": True for name in ("clone", "deepcopy", "pickle") for when in ("before", "after")}


def test_models_in_models_and_with_layers_in_common_get_along(told: dict[str, Facts]) -> None:
    assert told["within_another"] == {"losses": True, "weights": True, "ok": [True] * 3, "home": 1}


@pytest.mark.skipif(find_spec("jax") is not None, reason="then Keras can be imported")
def test_a_backend_that_is_not_there_is_one_line() -> None:
    asked = "import pardnn.errors\ntry: pardnn.place(1, gpus=1)\nexcept pardnn.errors.InputError as error: print(error)"
    environment = os.environ | {"KERAS_BACKEND": "jax"}
    done = subprocess.run(
        [sys.executable, "-c", asked], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "Keras cannot be imported: No module named 'jax'; is KERAS_BACKEND=tensorflow set?\n"


def test_an_interrupted_plan_leaves_the_model_as_it_was(told: dict[str, Facts]) -> None:
    assert told["interrupted"] == {"stopped": True, "same": True, "home": 1, "equal": True, "ok": True}


def test_a_model_compiled_anew_is_placed_with_its_new_optimizer(told: dict[str, Facts]) -> None:
    found = told["recompiled"]
    assert found["equal"]
    assert found["spread"] > 1
    assert found["ok"]
    assert found["bare"] == 0
