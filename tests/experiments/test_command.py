"""`pardnn sweep` in the test's own process, cells too: what it says, and how it refuses."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from pardnn.experiments.backends.local import Local
from pardnn.experiments.cell import Cell
from pardnn.experiments.outcome import Outcome, carry_out
from tests.cli.conftest import Program

pytest.importorskip("pyarrow")
pytest.importorskip("matplotlib")
CONFIG = 'graphs = ["diamond.json", "gone.json"]\nmethods = ["heft", "single"]\ngpus = 2\n'


@pytest.fixture
def config(diamond: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    def here(_: Local, cells: Sequence[Cell]) -> Iterator[Outcome]:
        return map(carry_out, cells)

    monkeypatch.setattr(Local, "__call__", here)
    path = diamond.parent / "two.toml"
    path.write_text(CONFIG)
    return path


def test_a_sweep_says_how_it_went_and_keeps_it(pardnn: Program, config: Path) -> None:
    assert pardnn("sweep", config, "--dry-run").out == "4 cells, 4 of them to do\n"
    done = pardnn("sweep", config)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert [line.split() for line in lines[1:3]] == [
        ["heft", "1", "0.0", "%", "0.0", "%", "1.92", "x", "1"],
        ["single", "1", "92", "%", "92", "%", "1.00", "x", "0"],
    ]
    assert lines[3] == "4 cells: 2 done, 2 bad input"
    outputs = [Path(name).name for name in lines[4].removeprefix("wrote ").split(", ")]
    assert outputs == ["table.parquet", "table.csv", "seconds.csv", "relative.png", "speedup.png", "heatmap.png"]
    before = {name: Path("two.sweep", name).read_bytes() for name in outputs}

    assert pardnn("sweep", config, "--dry-run").out == "4 cells, 0 of them to do\n"
    again = pardnn("sweep", config, "--json").result
    assert (again["cells"], again["kept"], again["status"]) == (4, 4, {"done": 2, "bad input": 2})
    assert before == {name: Path("two.sweep", name).read_bytes() for name in outputs}


def test_a_sweep_as_a_page_comes_out_the_same_when_all_is_there_already(pardnn: Program, config: Path) -> None:
    command = ("sweep", config, "--html", "sweep.html", "--force")
    assert pardnn(*command).out.endswith(", sweep.html\n")
    first = Path("sweep.html").read_bytes()
    assert pardnn(*command).code == 0
    assert Path("sweep.html").read_bytes() == first
    assert b"heft is best over all" in first
    assert b"gone.json, single, 2 on pcie3" in first


def test_a_sweep_that_asks_for_more_does_only_that(pardnn: Program, config: Path) -> None:
    assert pardnn("sweep", config, "-o", "out").code == 0
    config.write_text(CONFIG.replace('"single"', '"single", "etf"'))
    found = pardnn("sweep", config, "-o", "out", "--json", "-v")
    assert (found.result["cells"], found.result["kept"]) == (6, 4)
    assert "6 of 6 cells (4 were there), 1 without a placement" in found.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--backend", "slurm"], "no backend 'slurm'; there are: dask, local, ray"),
        (["-o", "."], ".: is there and holds no sweep"),
        (["--jobs", "0"], "Invalid value for '--jobs'"),
    ],
)
def test_bad_usage_is_one_line(pardnn: Program, config: Path, arguments: list[str], said: str) -> None:
    done = pardnn("sweep", config, *arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err


@pytest.mark.parametrize(
    ("module", "backend", "extra"),
    [("pandas", "local", "experiments"), ("distributed", "dask", "dask"), ("ray", "ray", "ray")],
)
def test_what_to_install_is_told_in_one_line(
    pardnn: Program, config: Path, monkeypatch: pytest.MonkeyPatch, module: str, backend: str, extra: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    done = pardnn("sweep", config, "--backend", backend)
    assert (done.code, done.err) == (2, f"pardnn: a sweep needs {module} here: pip install 'pardnn[{extra}]'\n")


def test_a_scheduler_belongs_to_a_cluster(pardnn: Program, diamond: Path) -> None:
    (diamond.parent / "one.toml").write_text('graphs = ["diamond.json"]\n')
    done = pardnn("sweep", "one.toml", "--scheduler", "tcp://head:1")
    assert (done.code, done.err) == (2, "pardnn: --scheduler is for --backend dask or ray\n")
