"""`pardnn sweep` from the command line: killed, gone on, on a Dask cluster; always the same table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.factories import FAMILIES, layered
from tests.real.swept import OUTPUTS, columns, finish, kill_at, lay_out, unlike, written

pandas = pytest.importorskip("pandas")
pytest.importorskip("joblib")
pytestmark = pytest.mark.slow
METHODS = ["heft", "single", "metis", "round-robin"]
GRAPHS = {name: columns(FAMILIES[name]()) for name in ("fork_join", "grid", "single_node")} | {
    f"layered{seed}": columns(layered(seed=seed)) for seed in range(2)
}
CELLS = (len(GRAPHS) + 1) * len(METHODS) * 2 * 2


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return lay_out(tmp_path_factory.mktemp("sweep"), GRAPHS, METHODS, [2, 3], memory="600")


@pytest.fixture(scope="module")
def whole(config: Path) -> Path:
    """The folder of a sweep that nobody disturbed."""
    out = config.parent / "whole"
    said = finish(config, out, "--jobs", "2")
    assert f"{CELLS} cells: " in said
    return out


def test_a_killed_sweep_goes_on_without_repeating_anything(config: Path, whole: Path) -> None:
    out = config.parent / "killed"
    left = kill_at(config, out, CELLS // 2, "--jobs", "2")
    assert CELLS // 2 <= len(left) < CELLS
    assert not any((out / name).exists() for name in OUTPUTS)
    result = json.loads(finish(config, out, "--jobs", "2", "--json"))
    assert result["kept"] == len(left)
    after = written(out)
    assert {name: after[name] for name in left} == left
    assert unlike(out, whole) == []


def test_a_dask_cluster_gives_the_same_table(config: Path, whole: Path) -> None:
    pytest.importorskip("distributed")
    out = config.parent / "dask"
    finish(config, out, "--backend", "dask", "--jobs", "2")
    assert len(written(out)) == CELLS
    assert unlike(out, whole) == []


def test_the_table_has_a_row_per_cell_failures_too(config: Path, whole: Path) -> None:
    table = pandas.read_parquet(whole / "table.parquet")
    assert len(table) == len(pandas.read_csv(whole / "table.csv")) == CELLS
    assert not [name for name in table.columns if "second" in name]
    status = table.status.value_counts()
    assert status["bad input"] == 2 * 2 * len(METHODS)
    assert status["does not fit"] > 0
    bad = table[table.status == "bad input"]
    assert set(bad.graph) == {"damaged.json"}
    assert bad.error.str.startswith("damaged.json:1: ").all()
    done = table[table.status == "done"]
    assert (done.fits & (done.makespan_us >= done.lower_bound_us)).all()
    assert [len(peaks) for peaks in done.peak_bytes] == done.devices.tolist()
    seconds = pandas.read_csv(whole / "seconds.csv")
    assert seconds.cell.tolist() == table.cell.tolist()
    assert (seconds[table.status == "done"].partition > 0).all()


def test_the_example_runs(tmp_path: Path) -> None:
    assert "30 cells: 10 does not fit, 20 done" in finish(ROOT / "docs" / "sweep.toml", tmp_path / "out", "--jobs", "2")
