"""Fixtures and settings of all tests."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parents[1]

# Deadlines would measure the first call's compilation, not the code.
settings.register_profile("default", deadline=None, max_examples=50)
# The same examples each time, so that a red run is a change of ours. `HYPOTHESIS_PROFILE=search` looks for new ones.
settings.register_profile("ci", settings.get_profile("default"), derandomize=True, database=None)
settings.register_profile("search", settings.get_profile("default"), max_examples=1000)
# Kernels as plain Python loops are slow, which is no fault of the test.
if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
    settings.register_profile("ci", settings.get_profile("ci"), suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of graphs, formats and the judge, which lies beside the repository; skips where it is absent."""
    candidates = [Path(p) for p in [os.environ.get("PARDNN_SHARED", "")] if p]
    candidates += [parent / "shared" for parent in ROOT.parents]
    for candidate in candidates:
        if (candidate / "judge" / "evaluate.py").is_file():
            return candidate
    pytest.skip("needs the shared folder beside the repository, or PARDNN_SHARED")


@pytest.fixture(scope="session")
def example_graph() -> Path:
    """The training graph that ships with the project."""
    return ROOT / "models" / "graphs" / "four_view_cnn.pbtxt"
