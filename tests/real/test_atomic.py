"""Outputs are whole or absent: after kill -9, and on a full disk. `scripts/prove_atomic.py` kills 200 times."""

from pathlib import Path

import pytest

from tests.real.atomic import filled, killed
from tests.real.samples import graphs


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    sample = graphs()[0]
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    path = tmp_path / "in" / sample.name
    path.write_bytes(sample.data)
    return path


@pytest.mark.slow
def test_killed_at_random_moments(graph: Path) -> None:
    left, faults = killed(graph, graph.parents[1] / "out", times=8, seed=1)
    assert faults == []
    assert sum(number for what, number in left.items() if "outputs" in what) == 8


@pytest.mark.parametrize("most", [0, 500])
def test_a_full_disk_is_exit_2_and_leaves_nothing(graph: Path, most: int) -> None:
    code, said, left, faults = filled(graph, graph.parents[1] / "out", most)
    assert (code, faults, dict(left)) == (2, [], {"0 of 2 outputs, whole": 1})
    assert said.startswith("pardnn: ")
    assert "cannot be written: " in said
    assert said.count("\n") == 1
