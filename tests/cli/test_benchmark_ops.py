"""`pardnn benchmark-ops`: a device measured, and its file given back."""

from pathlib import Path

import pytest

from tests.cli.conftest import Program


@pytest.mark.slow
def test_a_device_is_measured_and_its_file_read(pardnn: Program, tmp_path: Path, example_graph: Path) -> None:
    pytest.importorskip("tensorflow")
    file = tmp_path / "here.npz"
    found = pardnn("benchmark-ops", "-o", file, "--ops", 24, "--gflop", 0.5, "--mem", "16MB", "--repeats", 3, "--json")
    families = found.result["families"]
    assert set(families) == {"convolution", "product", "vector"}
    assert all(one["error_after"] <= one["error_before"] for one in families.values())
    done = pardnn("estimate", example_graph, "--costs", f"learned:{file}", "--json")
    assert done.result["coverage"]["learned"] > 0


def test_what_is_no_size_is_refused_before_anything_is_measured(pardnn: Program, tmp_path: Path) -> None:
    done = pardnn("benchmark-ops", "-o", tmp_path / "x.npz", "--mem", "much")
    assert done.code == 2
    assert "much" in done.err
    for figure in ("nan", "inf", "0"):
        done = pardnn("benchmark-ops", "-o", tmp_path / "x.npz", "--gflop", figure)
        assert (done.code, "--gflop" in done.err) == (2, True)
