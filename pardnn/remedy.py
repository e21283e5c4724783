"""Does not fit: the smallest memory that was tried and works, and the bound below which nothing can."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pardnn.config import Options
from pardnn.errors import DoesNotFit
from pardnn.plan import Plan
from pardnn.problem import Problem
from pardnn.refine.needs import Needs
from pardnn.subject import Subject, with_memory
from pardnn.units import ceil_size, floor_size

_STEPS = 6
_MARGINS = (1.0, 1.1, 1.5, 2.0)


def remedy(
    subject: Subject, options: Options, error: DoesNotFit, decide: Callable[[Subject, Options], Plan]
) -> DoesNotFit:
    """The error with a way out: a `--mem` for which this very run, repeated, has been seen to succeed.

    The memory is the same for every GPU. It is found by halving the interval between the proven bound and what an
    unlimited run needs, in a handful of runs. Whether `auto` finds a placement does not depend on its effort, so the
    way there is walked with the least, and only the last step as it will be typed.
    """
    asked = replace(options, effort="fast", gpus=subject.problem.gpus if options.gpus is None else options.gpus)

    def works(mem: str, effort: str = "fast") -> Plan | None:
        tried = replace(asked, mem=mem, effort=effort)  # type: ignore[arg-type]
        try:
            return decide(with_memory(subject, tried), tried)
        except DoesNotFit:
            return None

    fraction = float(options.mem_fraction)
    bound = memory_bound(subject.problem) / fraction
    proven = f"below {floor_size(int(bound))} no placement can fit (proven)"
    free = works("unlimited")
    best = free and _smallest(lambda mem: works(mem) is not None, bound, max(free.peak_bytes) / fraction)
    if not best or works(best, options.effort) is None:
        return DoesNotFit(f"{error}; {proven}")
    listed = options.gpus is None and "," in str(options.mem)
    typed = f"--gpus {subject.problem.gpus} --mem {best}" if listed else f"--mem {best}"
    return DoesNotFit(f"{error}; {typed} works (tried); {proven}")


def _smallest(works: Callable[[str], bool], low: float, high: float) -> str | None:
    """The least size that was seen to work, as it is typed; low = the proven bound, high = what should do."""
    best = None
    for factor in _MARGINS:
        if works(typed := ceil_size(int(factor * high) + 1)):
            best, high = typed, factor * high
            break
    for _ in range(_STEPS if best else 0):
        middle = (low + high) / 2
        typed = ceil_size(int(middle) + 1)
        if typed == best:
            break
        if works(typed):
            best, high = typed, middle
        else:
            low = middle
    return best


def memory_bound(problem: Problem) -> int:
    """Usable bytes below which no placement fits: the neediest group on a card of its own, the residents shared out."""
    needs = Needs.of(problem)
    held = int((needs.resident + needs.running)[needs.free].max(initial=0))
    shared = -(-int(needs.resident[needs.free].sum()) // problem.gpus)
    return max(held, shared)
