"""Every shared graph file through `partition` and `inspect`: the exit code it must have, and one line of error."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet

from pardnn.placers.plan import read_plan
from pardnn.readers.graph import read_graph
from tests.cli.conftest import Program
from tests.conftest import ROOT

# What each of these must be refused with; every other file is placed.
REFUSED = {
    "g2m_graph-malformed.pbtxt": "g2m_graph-malformed.pbtxt:3: ",
    "control_cycle.pbtxt": "cycle of 2 nodes",
    "cycle_no_nextiteration.pbtxt": "cycle of 2 nodes",
    "dup_names.pbtxt": "node 'a' occurs twice",
    "empty.pb": "the graph has no nodes",
    "empty.pbtxt": "the graph has no nodes",
    "only_versions.pbtxt": "the graph has no nodes",
    "missing_input.pbtxt": "node 'b' has an input 'ghost'",
    "not_a_graph_but_named.pb": "is a PNG image",
    "self_loop.pbtxt": "depends on itself",
    "truncated.pbtxt": "truncated.pbtxt:2: ",
    "tf221_v1session_2cpu_run_metadata.pb": "not a graph, or damaged",
}
TOO_BIG = "one_node_too_big.pbtxt"
LARGE = 1_000_000  # bytes from which on a file is for the long tests; the gzipped one of 54,034 nodes is smaller
SLOW = {"tf1_mlp_deep_2000.pb.gz", "tf_opens2s_gnmt_mixed_precision.pbtxt.gz"}


def _shared() -> Path | None:
    candidates = [os.environ.get("PARDNN_SHARED", ""), *(str(parent / "shared") for parent in ROOT.parents)]
    return next((Path(c) for c in candidates if c and (Path(c) / "data/graphs").is_dir()), None)


def _files() -> list[ParameterSet]:
    """One parameter per file, named after it; without the folder a single one that skips."""
    folder = _shared()
    paths = sorted((folder / "data/graphs").glob("*/*")) if folder else []
    marked = [
        pytest.param(p.relative_to(folder), marks=pytest.mark.slow if _is_slow(p) else (), id=p.name)
        for p in paths
        if folder
    ]
    return marked or [pytest.param(Path("absent"), id="absent")]


def _is_slow(path: Path) -> bool:
    return path.stat().st_size > LARGE or path.name in SLOW


@pytest.mark.parametrize("name", _files())
def test_partition_ends_as_it_must(pardnn: Program, shared: Path, tmp_path: Path, name: Path) -> None:
    done = pardnn("partition", shared / name, "--gpus", 4, "--mem", "16GB", "--method", "pardnn", "--json", "-q")
    if name.name in REFUSED:
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert done.err.startswith("pardnn: ")
        assert REFUSED[name.name] in done.err
        assert name.name in done.err
        assert list(tmp_path.iterdir()) == []
    elif name.name == TOO_BIG:
        assert (done.code, done.out, done.err.count("\n")) == (3, "", 1)
        assert "needs 37.3 GiB" in done.err
        assert "--mem 44.5GB works (tried)" in done.err
        assert list(tmp_path.iterdir()) == []
    else:
        assert (done.code, done.err) == (0, "")
        assert done.result["fits"]
        assert len(done.result["outputs"]) == 2
        plan = read_plan(next(tmp_path.glob("*.placement.json")))
        raw, _ = read_graph(shared / name)
        assert done.result["nodes"] == plan.graph_nodes == len(raw.nodes)
        assert {node.name for node in raw.nodes} <= plan.placement.keys() | plan.unplaced.keys()


@pytest.mark.parametrize("name", _files())
def test_inspect_ends_as_it_must(pardnn: Program, shared: Path, name: Path) -> None:
    done = pardnn("inspect", shared / name, "-q")
    if name.name in REFUSED:
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    else:
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith(f"graph           {name.name}")


@pytest.mark.parametrize("code", [2, 0])
def test_conflicting_pins_are_refused_only_where_devices_are_kept(pardnn: Program, shared: Path, code: int) -> None:
    graph = shared / "data/graphs/made/conflicting_coloc.pbtxt"
    done = pardnn("partition", graph, "--gpus", 2, "--method", "fill", "--dry-run", *["--keep-devices"] * (code == 2))
    assert done.code == code
    if code:
        assert done.err.count("\n") == 1
        assert "must share a device" in done.err
        assert "/device:GPU:0" in done.err
        assert "/device:GPU:1" in done.err
    else:
        assert "had a device in the file: cleared" in done.err
