"""Silence for TensorFlow's greetings: its libraries write them to stderr itself, before any setting is heeded."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


def quieten() -> None:
    """Have TensorFlow tell errors only, unless the user has said otherwise; before it is imported."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")


@contextmanager
def hushed() -> Iterator[None]:
    """What is written to stderr meanwhile goes nowhere; what is raised is raised."""
    try:
        stderr = sys.stderr.fileno()
    except (OSError, ValueError, AttributeError):  # replaced by something that is no file
        yield
        return
    sys.stderr.flush()
    saved, nowhere = os.dup(stderr), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stderr)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(saved, stderr)
        os.close(saved)
        os.close(nowhere)
