"""Does not fit: the smallest memory that was tried and works, and the bound below which nothing can."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pardnn.config import Options
from pardnn.errors import DoesNotFit
from pardnn.plan import Plan
from pardnn.problem import Problem
from pardnn.subject import Subject, pose
from pardnn.units import ceil_size, format_size
from scheduler.machine import UNLIMITED

_STEPS = 6


def remedy(
    graph: Any, options: Options, subject: Subject, error: DoesNotFit, decide: Callable[[Subject, Options], Plan]
) -> DoesNotFit:
    """The error with a way out: a `--mem` for which this very run, repeated, has been seen to succeed.

    The memory is the same for every GPU. It is found by halving the interval between the proven bound and what an
    unlimited run needs, at most a handful of runs; each candidate is tried exactly as it would be typed.
    """
    fraction = float(options.mem_fraction)
    bound = memory_bound(subject.problem)

    def works(mem: str) -> Plan | None:
        asked = replace(options, mem=mem)
        try:
            return decide(pose(graph, asked), asked)
        except DoesNotFit:
            return None

    free = works("unlimited")
    if free is None:
        return error
    low, high = bound / fraction, max(free.peak_bytes) / fraction
    best = None
    for candidate in (high, 1.1 * high, 1.5 * high, 2 * high):
        if works(ceil_size(int(candidate) + 1)) is not None:
            best, high = ceil_size(int(candidate) + 1), candidate
            break
    for _ in range(_STEPS if best else 0):
        middle = (low + high) / 2
        typed = ceil_size(int(middle) + 1)
        if typed == best:
            break
        if works(typed) is not None:
            best, high = typed, middle
        else:
            low = middle
    proven = f"no placement fits below {format_size(int(bound / fraction))} per GPU"
    if best is None:
        return DoesNotFit(f"{error}; {proven}")
    return DoesNotFit(f"{error}; --mem {best} works (tried); {proven}")


def memory_bound(problem: Problem) -> int:
    """Usable bytes below which no placement fits: the neediest group on a card of its own, the residents shared out."""
    work = problem.workload
    free = problem.pin < problem.gpus
    resident = np.zeros(problem.groups, np.int64)
    np.add.at(resident, problem.group, work.resident_bytes)
    running = np.zeros(problem.groups, np.int64)
    np.maximum.at(running, problem.group, work.output_bytes + work.temp_bytes)
    held = (resident + running)[problem.group[free]].max(initial=0)
    shared = -(-int(work.resident_bytes[free].sum()) // problem.gpus)
    assert held < UNLIMITED
    return max(int(held), shared)
