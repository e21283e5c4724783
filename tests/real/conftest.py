"""Fixtures of the proofs."""

from importlib.util import find_spec

import pytest


@pytest.fixture(scope="session")
def tensorflow() -> None:
    """TensorFlow is installed, which a process of its own will import."""
    if find_spec("tensorflow") is None:
        pytest.skip("needs tensorflow")
