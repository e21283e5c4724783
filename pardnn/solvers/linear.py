"""OR-Tools' linear programs."""

from pardnn.solvers import own_symbols_first

with own_symbols_first():
    from ortools.linear_solver import pywraplp

__all__ = ["pywraplp"]
