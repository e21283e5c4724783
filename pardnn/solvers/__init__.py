"""OR-Tools, loaded so that it works beside TensorFlow: the one place that imports it.

Both bring a copy of Abseil. Loaded after TensorFlow, CP-SAT finds TensorFlow's symbols before its own, and the first
solve takes the process down (ortools 9.15, tensorflow 2.21).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def own_symbols_first() -> Iterator[None]:
    """Inside, a compiled library that is loaded looks for a symbol in itself before it looks in the process.

    Only where TensorFlow has been loaded, and where the system's loader can do it (glibc's): elsewhere nothing changes.
    """
    deep = getattr(os, "RTLD_DEEPBIND", 0)
    if "tensorflow" not in sys.modules or not deep:
        yield
        return
    before = sys.getdlopenflags()
    sys.setdlopenflags(before | deep)
    try:
        yield
    finally:
        sys.setdlopenflags(before)
