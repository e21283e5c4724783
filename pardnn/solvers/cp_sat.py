"""OR-Tools' CP-SAT."""

import pandas as pd  # noqa: F401 - OR-Tools imports it; it is loaded before, as ever

from pardnn.solvers import own_symbols_first

with own_symbols_first():
    from ortools.sat.python import cp_model

__all__ = ["cp_model"]
