"""OR-Tools solves in a process that has loaded TensorFlow first."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PROGRAM = """
import sys
import tensorflow
from tests.search.test_exact import PACKED, proven
from pardnn.methods import method
import numpy as np

flags = sys.getdlopenflags()
problem = PACKED.problem(gpus=2)
answer = proven(problem)
assert answer.bound_ns == problem.simulate(answer.placement).makespan_ns
method("m-sct", "fast")(problem, np.random.default_rng(0))
assert sys.getdlopenflags() == flags
print("solved")
"""


def test_exact_and_m_sct_solve_after_tensorflow_was_loaded() -> None:
    pytest.importorskip("tensorflow")
    command = [sys.executable, "-c", PROGRAM]
    run = subprocess.run(command, check=False, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout == "solved\n"
