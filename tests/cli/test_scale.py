"""`pardnn scale` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from pardnn.registry import strategies
from tests.cli.conftest import Program


def test_the_table_in_all_its_forms(pardnn: Program, diamond: Path, tmp_path: Path) -> None:
    done = pardnn("scale", diamond, "--workers", "1,2,1024", "-o", "t.csv", "--json")
    assert done.result["format"] == "pardnn-scaling/1"
    assert done.result["outputs"] == ["t.csv"]
    assert [row["workers"] for row in done.result["rows"]] == [1, 2, 1024]
    lines = (tmp_path / "t.csv").read_text().splitlines()
    assert lines[0].startswith("workers,hosts,gpus,step_us")
    assert len(lines) == 4
    refused = pardnn("scale", diamond, "-o", "t.csv")
    assert (refused.code, "t.csv" in refused.err) == (2, True)  # there already
    shown = pardnn("scale", diamond, "--workers", "1,8").out
    assert "held up by" in shown
    assert "It pays up to 8 workers" in shown


@pytest.mark.parametrize("option", ["-o", "--plot", "--html"])
def test_no_input_is_overwritten_and_no_output_twice(
    pardnn: Program, diamond: Path, tmp_path: Path, option: str
) -> None:
    before = diamond.read_bytes()
    done = pardnn("scale", diamond, "--workers", "1,2", option, diamond, "--force")
    assert (done.code, done.err) == (2, f"pardnn: {diamond}: is an input, and inputs are never overwritten\n")
    assert diamond.read_bytes() == before
    other = "--html" if option == "-o" else "-o"
    twice = pardnn("scale", diamond, option, "same", other, "./same")
    assert (twice.code, "same: is named twice" in twice.err) == (2, True)
    assert not (tmp_path / "same").exists()
    machine = tmp_path / "here.toml"
    machine.write_text("")
    done = pardnn("scale", diamond, "--machine", machine, option, machine, "--force")
    assert (done.code, "here.toml: is an input" in done.err) == (2, True)


def test_wrong_numbers_of_workers(pardnn: Program, diamond: Path) -> None:
    for numbers in ("1,two", "0", "2000000", "-1"):
        done = pardnn("scale", diamond, f"--workers={numbers}")
        assert (done.code, "--workers" in done.err) == (2, True)


def test_every_strategy_is_named(pardnn: Program) -> None:
    shown = pardnn("scale", "--help").out
    assert all(f"{name}:" in shown for name in strategies.all())
    listed = pardnn("methods", "--json").result["strategies"]
    assert [row["name"] for row in listed] == list(strategies.all())
    assert all(row["summary"] for row in listed)


def test_the_plot(pardnn: Program, diamond: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert pardnn("scale", diamond, "--plot", "p.png").code == 0
    assert (tmp_path / "p.png").read_bytes().startswith(b"\x89PNG")
