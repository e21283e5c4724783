"""`--costs measured:FILE` on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Program
from tests.traces.drawn import CPU, metadata


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (metadata((CPU, [])) + b"\x12\x00", "c.pb: it has no step statistics"),
        (b"\x89PNG\r\n\x1a\n\x00", "c.pb: not a table of costs"),
    ],
    ids=["eager", "image"],
)
def test_a_file_without_times_is_one_line(pardnn: Program, example_graph: Path, data: bytes, words: str) -> None:
    Path("c.pb").write_bytes(data)
    done = pardnn("partition", example_graph, "--gpus", 1, "--costs", "measured:c.pb", "--dry-run")
    assert (done.code, words in done.err, done.err.count("\n")) == (2, True, 1)
    assert pardnn("estimate", example_graph, "--costs", "measured:none.pb").code == 2


def test_coverage_is_told_in_per_cent(pardnn: Program, shared: Path) -> None:
    made = shared / "data/graphs/made"
    costs = f"measured:{made / 'tf221_v1session_2cpu_run_metadata.pb'}"
    arguments = (made / "tf221_v1session_2cpu_graph.pb", "--costs", costs)
    for command in (("partition", "--gpus", 2, "--dry-run"), ("estimate",), ("inspect",)):
        found = pardnn(command[0], arguments[0], *command[1:], *arguments[1:], "--json").result
        assert found["measured_percent"] == {"ops": pytest.approx(71.79, abs=0.01), "time": pytest.approx(98, abs=2)}
    assert "56 measured (71.7 % of the ops" in pardnn("estimate", *arguments).out
