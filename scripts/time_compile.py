#!/usr/bin/env python3
"""Seconds that compiling all kernels takes with an empty cache, by kernel and in all; exit 1 over the budget.

python scripts/time_compile.py
"""

from __future__ import annotations

import importlib
import os
import tempfile
import time
from pathlib import Path

from scheduler import _jit

BUDGET = 10


def kernels() -> list[_jit.Kernel]:
    """All kernels, those that others call first, so that each is timed alone."""
    root, found = Path(_jit.__file__).parents[1], []
    for path in _jit.sources():
        name = ".".join(path.relative_to(root).with_suffix("").parts)
        members = vars(importlib.import_module(name)).values()
        found += [m for m in members if isinstance(m, _jit.Kernel) and m.__module__ == name]
    return sorted(found, key=lambda kernel: not kernel.inner)


def clock() -> tuple[float, float]:
    """Seconds of processor and wall."""
    return time.process_time(), time.perf_counter()


def report(since: tuple[float, float], what: str) -> tuple[float, float]:
    """Print how long it took; returns the time now."""
    now = clock()
    print(f"{now[0] - since[0]:9.2f} {now[1] - since[1]:6.2f}  {what}")
    return now


def main() -> int:
    """Print a line per kernel."""
    print("processor   wall")
    start = clock()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PARDNN_CACHE_DIR"] = folder
        import numba  # noqa: F401 - its import is part of a first use

        last = report(start, "import numba")
        for kernel in kernels():
            kernel.compile()
            last = report(last, kernel.name)
    end = report(start, f"of {BUDGET} s")
    return int(end[1] - start[1] > BUDGET)


if __name__ == "__main__":
    raise SystemExit(main())
