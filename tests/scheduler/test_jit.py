"""Kernels without numba, without a cache, and cached."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

PROGRAM = """
import numpy as np
from scheduler import _jit
from scheduler.dag import Dag
print(Dag.from_edges(3, [2, 1], [1, 0]).order.tolist(), repr(_jit.cache_note()))
"""


def run(program: str = PROGRAM, **environment: str) -> str:
    clean = {k: v for k, v in os.environ.items() if k not in ("HOME", "XDG_CACHE_HOME", "NUMBA_DISABLE_JIT")}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=clean | environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_without_jit_the_loops_run_as_python_and_numba_is_not_loaded() -> None:
    program = PROGRAM + "import sys; print('numba' in sys.modules)"
    assert run(program, NUMBA_DISABLE_JIT="1") == "[2, 1, 0] None\nFalse"


def test_kernels_are_kept_in_a_private_directory(tmp_path: Path) -> None:
    assert run(PARDNN_CACHE_DIR=str(tmp_path / "cache")) == "[2, 1, 0] None"
    (kept,) = (tmp_path / "cache").iterdir()
    assert kept.stat().st_mode & 0o777 == 0o700
    assert any(path.suffix == ".nbc" for path in kept.rglob("*"))


def test_a_directory_others_can_write_to_is_not_trusted(tmp_path: Path) -> None:
    run(PARDNN_CACHE_DIR=str(tmp_path))
    (kept,) = tmp_path.iterdir()
    kept.chmod(0o777)
    assert "can be written by others" in run(PARDNN_CACHE_DIR=str(tmp_path))


def test_where_nothing_can_be_kept_it_works_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    out = run(PARDNN_CACHE_DIR=str(tmp_path / "file"))
    assert out.startswith("[2, 1, 0] 'compiled kernels are not cached (")


def test_a_damaged_cache_is_passed_over(tmp_path: Path) -> None:
    run(PARDNN_CACHE_DIR=str(tmp_path))
    for path in tmp_path.rglob("*.nbi"):
        path.write_bytes(b"damaged")
    assert run(PARDNN_CACHE_DIR=str(tmp_path)).startswith("[2, 1, 0]")


def test_a_cache_that_fills_up_is_done_without(tmp_path: Path) -> None:
    """Files may grow to 4 KiB, machine code does not fit in that."""
    program = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)){PROGRAM}"
    out = run(
        f"import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); {program}", PARDNN_CACHE_DIR=str(tmp_path)
    )
    assert out.startswith("[2, 1, 0] 'compiled kernels are not cached (")


@pytest.mark.slow
def test_four_processes_at_once_fill_one_cache(tmp_path: Path) -> None:
    environment = os.environ | {"PARDNN_CACHE_DIR": str(tmp_path)}
    started = [
        subprocess.Popen([sys.executable, "-c", PROGRAM], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert {p.communicate()[0].strip() for p in started} == {"[2, 1, 0] None"}
