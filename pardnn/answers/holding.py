"""Whether a stored plan still holds on a graph: what a test in CI asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from pardnn.answers.overflow import overflow
from pardnn.errors import DoesNotFit, InputError
from pardnn.pipeline import UNMATCHED, Match, breaches
from pardnn.plan import Plan
from pardnn.report.words import percent, us
from pardnn.units import parse_time

_PERCENT = re.compile(r"\+?\s*(\d{1,6}(?:\.\d{1,6})?)\s*%")


@dataclass(frozen=True)
class Limit:
    """How long a step may take: as an absolute time, or as a share above what the plan expects."""

    text: str
    absolute_ns: int | None
    above: Fraction = Fraction(0)

    @classmethod
    def of(cls, text: str) -> Limit:
        """The limit that "+5%" or "300ms" says. Raises InputError.

        >>> Limit.of("+5%").above, Limit.of("300ms").absolute_ns
        (Fraction(1, 20), 300000000)
        """
        if match := _PERCENT.fullmatch(text.strip()):
            return cls(text, None, Fraction(match[1]) / 100)
        try:
            return cls(text, parse_time(text))
        except InputError:
            raise InputError(
                f"--max-makespan: {text!r} is neither a share above the plan's time (+5%) nor a time (300ms)"
            ) from None

    def most_ns(self, expected: Mapping[str, Any], plan: str) -> int:
        """The longest step that is allowed. Raises InputError where the plan does not say what it expects."""
        if self.absolute_ns is not None:
            return self.absolute_ns
        makespan = expected.get("makespan_us")
        if isinstance(makespan, bool) or not isinstance(makespan, int | float) or makespan < 0:
            raise InputError(f"{plan}: expects no step time, so --max-makespan {self.text} says nothing: give a time")
        return int(round(makespan * 1000) * (1 + self.above))


def reasons(plan: Plan, match: Match, most_ns: int | None) -> list[str]:
    """Why the plan does not hold on the graph it was put on, a sentence each; none if it holds.

    It holds where nearly all ops match, groups are whole, ops are where they can run, every device has the memory and,
    if that is limited, the step is fast enough.
    """
    found = []
    for names, count, what in (
        (match.new, match.matched + len(match.new), "graph's ops are not in the plan"),
        (match.gone, match.matched + len(match.gone), "plan's ops are not in the graph"),
    ):
        if len(names) > UNMATCHED * count:
            found.append(f"{len(names)} of {count} of the {what} ({names[0]!r} is one)")
    found += breaches(plan)
    if not plan.fits:
        found.append(str(overflow(plan)).removeprefix("the plan does not fit: "))
    took = plan.schedule.makespan_ns
    if most_ns is not None and took > most_ns:
        above = f", {percent(took / most_ns - 1)} more than" if most_ns else ", more than"
        found.append(f"a step takes {us(took / 1000)}{above} the {us(most_ns / 1000)} allowed")
    return found


def broken(why: list[str]) -> DoesNotFit:
    """The error for a plan that does not hold."""
    return DoesNotFit(f"the plan does not hold: {'; '.join(why)}")
