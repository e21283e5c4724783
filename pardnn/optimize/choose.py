"""Which blocks to run again: a model of a yes or no per block, solved by CP-SAT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

_PRECISION = 40
"""Bits in which all bytes together are counted."""
_WORK = 5.0
"""What the solver may spend, by its own count: some seconds at most."""


class Figures(NamedTuple):
    """What a block holds for the second half, in bytes, and what running it again changes."""

    kept: int
    """Whichever is chosen."""
    saved: int
    """If it is kept, not if it is run again."""
    extra: int
    """Kept for running it again: inputs that nothing else of the second half reads."""
    during: int
    """While it is run again and read."""
    time_ns: int


def choose(blocks: Sequence[Figures], share: float) -> tuple[int, ...]:
    """The blocks to run again, in the order given, which is that of the first half: the least time in so much memory.

    The memory is that of the turn and of each moment when a block is run again and read, as blocks before it are still
    held and those behind it are not. `share` 0 is the least memory there is, 1 what it takes without running any again.
    """
    from pardnn.solvers.cp_sat import cp_model

    unit = max(1, sum(b.kept + b.saved + b.extra + b.during for b in blocks) >> _PRECISION)
    small = [Figures(*(-(-value // unit) for value in (*b[:4], b.time_ns * unit))) for b in blocks]
    full = sum(b.kept + b.saved for b in small)
    model = cp_model.CpModel()
    again = [model.new_bool_var("") for _ in small]
    most = model.new_int_var(0, full, "")
    held: Any = 0
    for b, x in zip(small, again, strict=True):
        held += b.kept + b.saved * (1 - x) + b.extra * x
        model.add(held + b.during * x <= most)
    model.minimize(most)
    least = _solved(model, cp_model)
    if least is None:
        return ()
    model.add(most <= round(least.value(most) + share * (full - least.value(most))))
    model.minimize(sum(b.time_ns * x for b, x in zip(small, again, strict=True)))
    found = _solved(model, cp_model)
    return () if found is None else tuple(i for i, x in enumerate(again) if found.value(x))


def _solved(model: Any, cp_model: Any) -> Any:
    """The solver with a solution in it, the same every time; None if it came to none."""
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    solver.parameters.max_deterministic_time = _WORK
    return solver if solver.solve(model) in (cp_model.OPTIMAL, cp_model.FEASIBLE) else None
