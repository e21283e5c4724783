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


def test_no_output_is_named_twice(pardnn: Program) -> None:
    done = pardnn("profile", "net.py:build", "-o", "x.csv", "--machine-out", "./x.csv")
    assert (done.code, "x.csv: is named twice" in done.err) == (2, True)
