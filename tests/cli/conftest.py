"""The program run inside the test's process, in an empty folder."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pardnn.cli.run import run


class Done(NamedTuple):
    """What a run left behind."""

    code: int
    out: str
    err: str

    @property
    def result(self) -> Any:
        """The JSON object on stdout, which holds nothing else."""
        return json.loads(self.out)


Program = Callable[..., Done]


@pytest.fixture
def pardnn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Program:
    """pardnn("partition", "g.json", "--gpus", 2): run the command line in `tmp_path`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PARDNN_DEBUG", raising=False)

    def program(*arguments: object) -> Done:
        capfd.readouterr()
        code = run([str(argument) for argument in arguments])
        return Done(code, *capfd.readouterr())

    return program


@pytest.fixture
def diamond(tmp_path: Path) -> Path:
    """a -> b, c -> d with two equal arms that are worth running side by side."""
    columns = {
        "name": ["a", "b", "c", "d"], "op": ["Src", "MatMul", "MatMul", "Add"], "time": [10, 500, 500, 10],
        "resident": [100, 4000, 4000, 100], "output": [1000, 1000, 1000, 0], "temp": [0, 500, 500, 0],
        "src": [0, 0, 1, 2], "dst": [1, 2, 3, 3], "bytes": [1000, 1000, 1000, 1000],
    }  # fmt: skip
    path = tmp_path / "diamond.json"
    path.write_text(json.dumps(columns))
    return path
