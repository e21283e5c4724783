"""`pardnn.place` on live models: what people do around `fit` goes on working, and errors are one line."""

import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from tests.conftest import ROOT

Facts = dict[str, Any]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("tensorflow") is None, reason="placing a model needs tensorflow"),
]


def answers(module: str, *words: str) -> Iterator[Any]:
    """What a program of this folder prints, line by line: TensorFlow takes its devices once per process."""
    program = [sys.executable, "-m", f"tests.keras.{module}", *words]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr[-4000:]
    return map(json.loads, done.stdout.splitlines())


@pytest.fixture(scope="module")
def used() -> dict[str, Facts]:
    return dict(answers("use"))


@pytest.mark.parametrize(
    "case", ["validation_and_evaluate", "on_batches", "several_steps_per_execution", "datasets",
             "datasets_of_unknown_size", "generators", "callbacks_and_weights", "compiled_after"]
)  # fmt: skip
def test_keras_goes_on_working(used: dict[str, Facts], case: str) -> None:
    found = used[case]
    assert found["results"]
    assert found["weights"]
    assert found["ok"]
    assert found["checked"] > 300


def test_threads_at_once_are_each_read_back(used: dict[str, Facts]) -> None:
    found = used["in_threads"]
    assert found["ok"] == [True, True, True]
    assert found["same"]


def test_a_fit_before_does_not_matter(used: dict[str, Facts]) -> None:
    assert used["placed_after_a_fit"] == {"equal": True, "changed": True, "ok": True}


def test_what_was_traced_before_reads_the_new_values(used: dict[str, Facts]) -> None:
    found = used["functions_traced_before"]
    assert found["moved"] > 0
    assert found["changed"]
    assert found["equal"]


def test_remove_leaves_the_model_as_it_was(used: dict[str, Facts]) -> None:
    assert used["removed"] == {"equal": True, "spread": 4, "home": 1, "left": []}


def test_saving_loading_cloning_and_exporting(used: dict[str, Facts]) -> None:
    found = dict(used["saved_and_loaded"])
    assert found.pop("devices") == 4
    assert all(found.values()), found


def test_another_batch_shape_keeps_the_variables_where_they_are(used: dict[str, Facts]) -> None:
    found = used["traced_again"]
    assert len(found["words"]) == 1
    assert "traced again" in found["words"][0]
    assert found["bare"] == 0
    assert found["spread"] == 4
    assert found["variables"]
    assert found["equal"]
    assert found["ok"]


def test_the_batch_size_is_found_where_it_is_said(used: dict[str, Facts]) -> None:
    assert used["batch_sizes"] == {"said": 10, "by place": 10, "default": 32, "dataset": 5, "exact": 20}


@pytest.mark.parametrize(
    ("error", "words", "code"),
    [
        ("eager", "compile with run_eagerly=False", 2),
        ("eager later", "compile with run_eagerly=False", 2),
        ("no gpu", "sees no device /device:GPU:0, only /device:CPU:0", 2),
        ("no device", "sees no device CPU:7", 2),
        ("count", "3 names for 4 GPUs", 2),
        ("no name", "'fast' is no device's name", 2),
        ("option", "no option 'methd'", 2),
        ("method", "no method 'best of all'", 2),
        ("no fit", "mem=", 3),
        ("no fit later", "mem=", 3),
        ("no model", "str cannot be placed: give a Keras model", 2),
        ("backend", "set KERAS_BACKEND=tensorflow", 2),
        ("strategy", "made under a tf.distribute strategy", 2),
        ("twice", "placed already", 2),
        ("early", "call fit, train_on_batch or the function first", 2),
    ],
)
def test_errors_are_one_line_and_the_model_trains_unplaced(
    used: dict[str, Facts], error: str, words: str, code: int
) -> None:
    line, found, clean = used["refused"][error]
    assert words in line
    assert "\n" not in line
    assert found == code
    assert clean


def test_a_plan_is_kept_for_the_same_question(used: dict[str, Facts]) -> None:
    assert used["kept_for_the_next_process"] == {
        "found": [False, True, False, False, False], "ok": True, "same": True, "kept": 3,
    }  # fmt: skip


def test_a_model_is_a_graph_to_partition(used: dict[str, Facts]) -> None:
    found = used["partitioned"]
    assert found["equal"]
    assert found["ops"] > 400
    assert found["pruned"] < 60  # what was traced and leads to nothing
    assert found["unknown"] < 20
    assert found["devices"] == ["/device:GPU:0", "/device:GPU:1"]


def test_models_are_built_where_there_is_room(used: dict[str, Facts]) -> None:
    assert used["built_on_the_host"] == {"built": ["CPU:3"], "equal": True, "ok": True}


def test_the_figures_of_a_plan(used: dict[str, Facts]) -> None:
    found = used["figures"]
    assert found["makespan"] >= found["bound"] > 0
    assert len(found["peaks"]) == 4
    assert max(found["peaks"]) > 0
    assert found["stored"] == found["ops"] > 400
    assert found["report"].startswith(f"{found['ops']} ops placed, 0 without a device")
    assert found["summary"].endswith(found["report"])
