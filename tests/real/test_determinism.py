"""Same input, same options, same bytes: whatever the hash seed and the number of threads, compiled or not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.real.samples import Sample, cost_graph, graphs

ROOT = Path(__file__).parents[2]
WORLDS = {
    "hash seed 1": {"PYTHONHASHSEED": "1"},
    "hash seed 2": {"PYTHONHASHSEED": "2"},
    "one thread": {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
    "two threads": {"NUMBA_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"},
    "not compiled": {"NUMBA_DISABLE_JIT": "1"},
}


def outputs(source: Path, folder: Path, **world: str) -> dict[str, bytes]:
    folder.mkdir()
    out = ["-o", "p.placement.json"] + (["-o", source.name] if source.suffix != ".json" else [])
    done = subprocess.run(
        [sys.executable, "-m", "pardnn", "partition", str(source), "--gpus", "4", "--mem", "40GB", *out],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), **world},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("sample", [graphs()[0], cost_graph()], ids=lambda sample: sample.name)
def test_the_same_bytes_in_every_world(tmp_path: Path, sample: Sample) -> None:
    source = tmp_path / sample.name
    source.write_bytes(sample.data)
    plain = outputs(source, tmp_path / "plain")
    differ = [name for name, world in WORLDS.items() if outputs(source, tmp_path / name, **world) != plain]
    assert differ == []


@pytest.mark.slow
def test_the_example_too(example_graph: Path, tmp_path: Path) -> None:
    """390 ops, so not without compilation."""
    made = [
        outputs(example_graph, tmp_path / f"seed{seed}", PYTHONHASHSEED=str(seed), NUMBA_NUM_THREADS=str(1 + seed))
        for seed in range(2)
    ]
    assert made[0] == made[1]
