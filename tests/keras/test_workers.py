"""Several hosts: two worker processes on this one, with a core each."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.keras.test_place import answers, pytestmark  # noqa: F401 - the same conditions
from tests.keras.workers import free_addresses

GUIDE = (ROOT / "docs/several_hosts.md").read_text()
WORKERS = [f"/job:worker/replica:0/task:{task}/device:CPU:0" for task in (0, 1)]


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return dict(answers("together"))


@pytest.mark.parametrize("case", ["callbacks", "loop"])
def test_over_two_workers_a_model_does_what_it_does_on_one_host(found: dict[str, Any], case: str) -> None:
    facts = found[case]
    assert facts["values"] > 500
    assert facts["off"] < 1e-6  # servers merge ops where they stand, and round differently then
    assert facts["ok"]
    assert facts["checked"] > 200
    assert facts["spread"] == WORKERS
    assert facts["home"] == ["/job:localhost/replica:0/task:0/device:CPU:0"]
    assert facts["after"] > 0


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("down", r"task 2 \(127.*\) has not come up in 1 s: start it with `pardnn serve` there"),
        ("stranger", r"task 1 \(127.*\): what listens there is no TensorFlow server"),
        ("address", "cluster: 'a' is no address; write it like a.example:2222"),
        ("hosts", "hosts: 3 are asked for, the cluster has 2"),
        ("devices", "devices: give 2 different names, those of one host"),
    ],
)
def test_what_cannot_be_joined_is_one_line_and_the_model_trains(found: dict[str, Any], fault: str, words: str) -> None:
    kind, line = found["faults"][fault]
    assert kind == "InputError"
    assert re.search(words, line)
    assert "\n" not in line
    assert found["faults"]["trains"] > 0


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("version", r"task 0 \(127.*\) has TensorFlow .*, this process 1.0: install one"),
        ("other", "it cannot join another cluster"),
        ("no GPU", "there is no device /job:worker/replica:0/task:0/device:GPU:0, only "),
        ("lost", r"task 1 \(127.*\) is gone, and the variables it held"),
    ],
)
def test_what_goes_wrong_in_a_cluster_is_one_line(found: dict[str, Any], fault: str, words: str) -> None:
    kind, line = found[fault]
    assert kind == "InputError"
    assert re.search(words, line)
    assert "\n" not in line


def test_two_workers_train_what_one_does() -> None:
    (facts,) = answers("workers", "3", "1200", "256")
    assert facts["off"] < 1e-6
    assert facts["ok"]
    assert facts["used"] == WORKERS
    assert facts["losses"][2] < facts["losses"][0]
    assert facts["promised"] > 1.4


def blocks(language: str) -> list[str]:
    """The code in the guide."""
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


@pytest.mark.parametrize("number", [0, 1])
def test_the_commands_of_the_guide_work_as_they_stand(tmp_path: Path, number: int) -> None:
    """But for the ports, which others may use. Nothing is left running: else its output would stay open."""
    (script,) = blocks("python")
    (tmp_path / "train.py").write_text(script)
    command = blocks("bash")[number]
    for port, address in zip((2222, 2223), free_addresses(2), strict=True):
        command = command.replace(f"127.0.0.1:{port}", address)
    for name, program in (("pardnn", f"{sys.executable} -m pardnn"), ("python", sys.executable)):
        (tmp_path / name).write_text(f'#!/bin/sh\nexec {program} "$@"\n')
        (tmp_path / name).chmod(0o755)
    done = subprocess.run(
        ["bash", "-ec", command], cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "PATH": f"{tmp_path}:/usr/bin:/bin", "TF_CPP_MIN_LOG_LEVEL": "2"},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    assert done.stdout.count("Epoch") == 3
    assert re.search(r"[1-9]\d* ops read back, 0 elsewhere than planned, 0 without a device", done.stdout)
    for task in (0, 1):
        assert f"/job:worker/task:{task}/device:GPU:0" in done.stdout
        assert f"pardnn: task {task} (127.0.0.1:" in done.stderr
