"""`--trace` on the commands that have a plan, and the events file for TensorBoard."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import pardnn as package
from pardnn.errors import InputError
from pardnn.readers import read_graph
from tests.cli.conftest import Program
from tests.report.trace.reading import read


def test_partition_and_simulate_write_the_same_timeline(pardnn: Program, diamond: Path, tmp_path: Path) -> None:
    done = pardnn("partition", diamond, "--gpus", 2, "--method", "heft", "--trace", "t.json.gz", "--json")
    assert (done.code, done.result["outputs"]) == (0, ["diamond.placement.json", "t.json.gz"])
    again = pardnn("simulate", diamond, "diamond.placement.json", "--trace", "again.json.gz", "--json")
    assert again.result["outputs"] == ["again.json.gz"]
    data = (tmp_path / "t.json.gz").read_bytes()
    assert (tmp_path / "again.json.gz").read_bytes() == data
    shown = read(gzip.decompress(data))
    assert [name for _, _, name in shown.on("GPU:0", "compute") + shown.on("GPU:1", "compute")] == ["a", "b", "c", "d"]
    peaks = [max(size for _, size in shown.counters[d + 1]) for d in range(2)]
    assert peaks == done.result["peak_bytes"]


def test_a_timeline_is_written_in_a_dry_run_and_for_a_plan_that_does_not_fit(
    pardnn: Program, diamond: Path, tmp_path: Path
) -> None:
    dry = pardnn("partition", diamond, "--gpus", 2, "--method", "heft", "--dry-run", "--trace", "t.json")
    assert (dry.code, dry.out.splitlines()[-1]) == (0, "wrote t.json")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["diamond.json", "t.json"]
    pardnn("partition", diamond, "--gpus", 2, "--method", "heft")
    over = pardnn("simulate", diamond, "diamond.placement.json", "--mem", "6kB", "--trace", "over.json")
    assert over.code == 3
    assert read((tmp_path / "over.json").read_bytes()).labels == {1: "5.27 KiB of memory", 2: "5.27 KiB of memory"}


def test_a_timeline_that_exists_is_kept_and_an_input_never_overwritten(
    pardnn: Program, diamond: Path, tmp_path: Path
) -> None:
    (tmp_path / "t.json").write_text("mine")
    options = ("--gpus", 2, "--method", "heft", "--trace")
    refused = pardnn("partition", diamond, *options, "t.json")
    assert (refused.code, refused.err) == (
        2,
        "pardnn: t.json: exists already; --force replaces it, -o names another file\n",
    )
    assert pardnn("partition", diamond, *options, diamond).code == 2
    assert (tmp_path / "t.json").read_text() == "mine"
    assert not (tmp_path / "diamond.placement.json").exists()
    assert pardnn("partition", diamond, *options, "t.json", "--force").code == 0


def test_what_a_timeline_leaves_out_is_told(pardnn: Program, tmp_path: Path) -> None:
    n = 1500
    columns = {"time": [1 + v % 7 for v in range(n)], **{key: [8] * n for key in ("resident", "output", "temp")}}
    columns |= {"src": list(range(n - 1)), "dst": list(range(1, n)), "bytes": [8] * (n - 1)}
    (tmp_path / "chain.json").write_text(json.dumps(columns))
    options = ("--gpus", 2, "--method", "round-robin", "--dry-run", "--max-events", 1000, "--trace")
    done = pardnn("partition", "chain.json", *options, "t.json")
    assert done.err.startswith("pardnn: warning: the trace leaves out the shortest ")
    assert done.err.endswith("; --max-events takes more\n")
    shown = read((tmp_path / "t.json").read_bytes())
    assert (shown.events <= 1001, len(shown.instants)) == (True, 1)
    refused = pardnn("partition", "chain.json", "--gpus", 2, "--max-events", 0, "--trace", "u.json")
    assert (refused.code, "--max-events" in refused.err) == (2, True)
    idle = pardnn("partition", "chain.json", "--gpus", 2, "--max-events", 1000, "--dry-run")
    assert (idle.code, "--max-events is for --trace" in idle.err) == (2, True)


def test_a_plan_writes_its_timeline_from_python(diamond: Path, tmp_path: Path) -> None:
    plan = package.partition(diamond, gpus=2, method="heft")
    assert plan.trace(tmp_path / "t.json.gz") == ""
    assert read(gzip.decompress((tmp_path / "t.json.gz").read_bytes())).counters.keys() == {1, 2}
    with pytest.raises(InputError, match="exists already"):
        plan.trace(tmp_path / "t.json.gz")


def test_a_name_with_tfevents_in_it_is_for_tensorboard(pardnn: Program, diamond: Path, tmp_path: Path) -> None:
    done = pardnn("partition", diamond, "--gpus", 2, "--method", "heft", "-o", "placed.tfevents")
    assert (done.code, done.out.splitlines()[-1]) == (0, "wrote placed.tfevents")
    devices = {node.name: node.device for node in read_graph(tmp_path / "placed.tfevents")[0].nodes}
    assert devices.keys() == set("abcd")
    assert set(devices.values()) == {"/device:GPU:0", "/device:GPU:1"}
