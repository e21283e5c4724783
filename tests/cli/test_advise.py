"""`pardnn advise`: exit 0 with what would do, files that can be checked, and `partition` that names the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.answers.test_advice import step
from tests.cli.conftest import Program

ASKED = (
    "--gpus",
    1,
    "--mem",
    "1MB",
    "--mem-fraction",
    1,
    "--latency",
    "1us",
    "--bandwidth",
    "100GB/s",
    "--effort",
    "fast",
)


@pytest.fixture
def ladder(tmp_path: Path) -> Path:
    return step(tmp_path, layers=12)


def test_partition_names_the_command_in_its_one_line(pardnn: Program, ladder: Path) -> None:
    done = pardnn("partition", ladder, *ASKED)
    assert (done.code, done.out, done.err.count("\n")) == (3, "", 1)
    assert done.err.endswith("no placement can fit (proven); `pardnn advise` finds what else would do\n")


def test_advice_is_json_and_files(pardnn: Program, ladder: Path) -> None:
    done = pardnn("advise", ladder, *ASKED, "-o", "found", "--json")
    found = done.result
    assert (done.code, found["format"], found["fits"]) == (0, "pardnn-advice/1", False)
    assert [piece["kind"] for piece in found["advice"]] == ["gpus", "recomputation", "offload"]
    assert sorted(found["outputs"]) == sorted(str(path) for path in Path("found").iterdir())
    for piece in found["advice"][1:]:
        graph = f"found/{piece['kind']}.json.gz"
        again = pardnn("simulate", graph, f"found/{piece['kind']}.placement.json", "--json").result
        assert (again["makespan_us"], again["fits"]) == (piece["step_us"], True)
        assert pardnn("partition", graph, *ASKED, "--dry-run", "-q").code == 0


def test_files_that_exist_are_kept_before_any_work(pardnn: Program, ladder: Path) -> None:
    Path("found").mkdir()
    Path("found/offload.json.gz").write_text("mine")
    done = pardnn("advise", ladder, *ASKED, "-o", "found")
    assert (done.code, done.out) == (2, "")
    assert "found/offload.json.gz" in done.err
    assert Path("found/offload.json.gz").read_text() == "mine"


def test_the_graph_itself_is_never_overwritten(pardnn: Program, ladder: Path) -> None:
    Path("found").mkdir()
    graph = ladder.rename("found/offload.json.gz")
    before = graph.read_bytes()
    done = pardnn("advise", graph, *ASKED, "-o", "found", "--force")
    assert (done.code, "is an input, and inputs are never overwritten" in done.err) == (2, True)
    assert graph.read_bytes() == before


def test_text_says_what_works(pardnn: Program, diamond: Path) -> None:
    done = pardnn("advise", diamond, "--gpus", 2, "--mem", "16kB")
    assert done.code == 0
    assert done.out.startswith("It fits as it is.\n")
    columns = json.loads(diamond.read_text())
    diamond.write_text(json.dumps(columns | {"resident": [100, 40_000, 4000, 100]}))
    done = pardnn("advise", diamond, "--gpus", 2, "--mem", "16kB")
    assert done.out.startswith("It does not fit; --mem 47.3kB works (tried), below 47.2kB no placement can fit")
    assert "no number of GPUs: an op, with what must sit with it, takes " in done.out
