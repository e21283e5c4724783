"""Ring all-reduce."""

from __future__ import annotations

from dataclasses import dataclass

from pardnn.distribute.fleet import Fleet, Leg
from pardnn.registry import strategy


@strategy("ring", summary="all-reduce round a ring of all workers: 2 (N - 1) rounds of an N-th of the bytes each")
@dataclass(frozen=True)
class Ring:
    """2 (N - 1) rounds, in each of which every worker sends one N-th of the bytes to the next [1].

    All workers are alike, so the rounds follow each other on the slowest link of the ring without a gap, and are one
    leg: 2 (N - 1) (latency + bytes / N / bandwidth). Where an all-reduce was measured, it takes what was measured.
    [1] Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for clusters of workstations. JPDC 69 (2009),
    doi 10.1016/j.jpdc.2008.09.002.
    """

    def __call__(self, nbytes: int, fleet: Fleet) -> tuple[Leg, ...]:
        """One leg."""
        n, wires = fleet.workers, fleet.wires
        stream, each = fleet.round(-(-nbytes // n))
        measured = wires.all_reduce_ns(fleet.hosts, fleet.each, nbytes, n)
        if measured is not None:
            least = wires.all_reduce_ns(fleet.hosts, fleet.each, 1, n)
            assert least is not None
            return (Leg(stream, round(measured), round(least)),)
        return (Leg(stream, 2 * (n - 1) * each, 2 * (n - 1) * fleet.round(1)[1]),)
