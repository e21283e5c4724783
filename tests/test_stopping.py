"""Ctrl-C during a search."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pardnn.stopping import gently

ROOT = Path(__file__).parents[1]


def test_the_first_is_heard_and_the_second_raises() -> None:
    told: list[str] = []
    with gently(told.append) as stopped:
        assert not stopped()
        signal.raise_signal(signal.SIGINT)
        assert stopped()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert told == ["interrupted: stopping with the best so far; Ctrl-C again gives it up"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_afterwards_it_is_as_before() -> None:
    with gently(lambda _: None):
        pass
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_who_ignores_it_and_who_cannot_hear_it_go_on() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with gently(pytest.fail) as stopped:
            signal.raise_signal(signal.SIGINT)
            assert not stopped()
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    heard: list[bool] = []

    def beside() -> None:
        with gently(pytest.fail) as stopped:
            heard.append(stopped())

    thread = threading.Thread(target=beside)
    thread.start()
    thread.join()
    assert heard == [False]


@pytest.mark.slow
@pytest.mark.parametrize(("method", "first_s"), [("auto", 8), ("exact", 8), ("exact", 20)])
def test_a_search_ends_with_the_best_so_far(tmp_path: Path, shared: Path, method: str, first_s: float) -> None:
    graph = shared / "data/cost_graphs/pd_inception_v3.json.gz"
    options = ["--gpus", "4", "--method", method, "--effort", "best", "--json", "-v"]
    command = [sys.executable, "-m", "pardnn", "partition", str(graph), *options]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "deciding" in line:
                break
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(first_s)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 4
    assert "interrupted: stopping with the best so far" in err
    assert "the search was interrupted: this is the best so far" in json.loads(out)["warnings"]
    assert [path.name for path in tmp_path.iterdir()] == ["pd_inception_v3.placement.json"]
