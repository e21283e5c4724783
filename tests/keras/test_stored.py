"""Whatever a placed model or function leaves on the disk is restored without pardnn, by a machine with one CPU."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.keras.test_place import answers, pytestmark  # noqa: F401 - the same conditions


@pytest.fixture(scope="module")
def restored(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("stored")
    assert list(answers("stored", str(folder))) == []
    program = [sys.executable, str(ROOT / "tests/keras/stored.py"), str(folder)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        program, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr[-4000:]
    return dict(map(json.loads, done.stdout.splitlines()))


@pytest.mark.parametrize(
    ("what", "answers"),
    [
        ("keras", 2),
        ("h5", 1),
        ("weights", 1),
        ("checkpoint", 1),
        ("exported", 1),
        ("saved", 1),
        ("module, soft", 3),
        ("module, hard", 3),
        ("signed, soft", 3),
        ("signed, hard", 3),
        ("module checkpoint", 1),
    ],
)
def test_predictions_and_further_training_are_the_same_to_the_last_bit(
    restored: dict[str, Any], what: str, answers: int
) -> None:
    assert restored[what] == [0.0] * answers


def test_a_saved_model_names_no_device_that_a_small_machine_has_not(restored: dict[str, Any]) -> None:
    for name, devices in restored["devices"].items():
        assert set(devices) <= {"/device:CPU:*", "/device:CPU:0"}, name
