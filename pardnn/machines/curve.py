"""A measured time by size, read off between its points."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log


@dataclass(frozen=True)
class Curve:
    """At least two points, sizes rising: `ns[i]` is how long `nbytes[i]` bytes took."""

    nbytes: tuple[int, ...]
    ns: tuple[float, ...]

    @classmethod
    def of(cls, points: Sequence[tuple[int, float]]) -> Curve:
        """The curve through (bytes, ns) in any order; of several times for one size the middle one."""
        times: dict[int, list[float]] = {}
        for size, took in points:
            times.setdefault(size, []).append(took)
        sizes = sorted(times)
        return cls(tuple(sizes), tuple(sorted(times[size])[len(times[size]) // 2] for size in sizes))

    def __call__(self, nbytes: int) -> float:
        """Nanoseconds for so many bytes: straight in the logarithms of both between two points. O(log n).

        Below the smallest size as long as that, for what is left is latency; above the largest one at the rate that
        holds between it and half of it.

        >>> curve = Curve((1000, 4000), (10.0, 20.0))
        >>> round(curve(2000), 2), curve(1), curve(8000)
        (14.14, 10.0, 33.333333333333336)
        """
        sizes, ns = self.nbytes, self.ns
        if nbytes <= sizes[0]:
            return ns[0]
        if nbytes >= sizes[-1]:
            return ns[-1] + (nbytes - sizes[-1]) * self._last_slope()
        i = bisect_left(sizes, nbytes)
        share = log(nbytes / sizes[i - 1]) / log(sizes[i] / sizes[i - 1])
        return exp((1 - share) * log(ns[i - 1]) + share * log(ns[i]))

    @property
    def floor_ns(self) -> float:
        """What the smallest size takes: nearly all of it is latency."""
        return self.ns[0]

    def _last_slope(self) -> float:
        """Nanoseconds a byte, beyond the largest size."""
        half = min(bisect_left(self.nbytes, self.nbytes[-1] / 2), len(self.nbytes) - 2)
        slope = (self.ns[-1] - self.ns[half]) / (self.nbytes[-1] - self.nbytes[half])
        return slope if slope > 0 else self.ns[-1] / self.nbytes[-1]
