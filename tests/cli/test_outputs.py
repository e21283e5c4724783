"""What a command reads is never overwritten, not even with --force."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Program


@pytest.mark.parametrize(
    "words",
    [
        ("extract", "net.py:build", "-o", "net.py"),
        ("profile", "net.py:build", "-o", "net.py"),
        ("profile", "net.py", "--machine-out", "./net.py"),
        ("profile", "g.pb", "--feeds", "net.py", "-o", "net.py"),
    ],
)
def test_no_input_is_overwritten(pardnn: Program, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "net.py").write_text("def build(): ...\n")
    done = pardnn(*words, "--force")
    assert (done.code, "is an input, and inputs are never overwritten" in done.err) == (2, True)
    assert (tmp_path / "net.py").read_text() == "def build(): ...\n"


@pytest.mark.parametrize(
    "command",
    [
        ("partition", "diamond.json", "--html"),
        ("partition", "diamond.json", "-o", "x.placement.json", "--trace"),
        ("compare", "diamond.json", "--methods", "single", "--html"),
        ("simulate", "diamond.json", "p.placement.json", "--html"),
        ("estimate", "diamond.json", "-o"),
        ("inspect", "diamond.json", "--export"),
        ("scale", "diamond.json", "--html"),
    ],
)
def test_a_machine_file_is_kept_with_force(
    pardnn: Program, diamond: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    machine = tmp_path / "here.toml"
    machine.write_text("kept")
    done = pardnn(*command, "here.toml", "--machine", "here.toml", "--force")
    assert (done.code, done.err) == (2, "pardnn: here.toml: is an input, and inputs are never overwritten\n")
    assert machine.read_text() == "kept"


@pytest.mark.parametrize("option", [("--pin", "f"), ("--costs", "measured:f")])
def test_pins_and_costs_are_kept_with_force(
    pardnn: Program, diamond: Path, tmp_path: Path, option: tuple[str, str]
) -> None:
    (tmp_path / "f").write_text("kept")
    done = pardnn("partition", diamond, "--gpus", 2, *option, "--dry-run", "--html", "f", "--force")
    assert (done.code, "f: is an input" in done.err) == (2, True)
    assert (tmp_path / "f").read_text() == "kept"


def test_no_output_is_named_twice(pardnn: Program) -> None:
    done = pardnn("profile", "net.py:build", "-o", "x.csv", "--machine-out", "./x.csv")
    assert (done.code, "x.csv: is named twice" in done.err) == (2, True)
