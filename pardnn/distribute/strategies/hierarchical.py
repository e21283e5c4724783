"""All-reduce inside hosts, then between them."""

from __future__ import annotations

from dataclasses import dataclass

from pardnn.distribute.fleet import Fleet, Leg
from pardnn.registry import strategy


@strategy("hierarchical", summary="sums inside each host, then between hosts, then back: fewer rounds over the network")
@dataclass(frozen=True)
class Hierarchical:
    """Each of a host's G workers gets the host's sum of a G-th; rings of the H hosts add those up; all share them.

    Inside, G - 1 rounds of a G-th of the bytes before and as many after (half of a measured all-reduce each, where
    there is one); between hosts, 2 (H - 1) rounds in which a host sends an H-th of all the bytes over its cards. On one
    host, or with one worker on each, that is the ring.
    """

    def __call__(self, nbytes: int, fleet: Fleet) -> tuple[Leg, ...]:
        """Up to three legs."""
        g, h = fleet.each, fleet.hosts
        before = [Leg("link", self._inside(nbytes, fleet), self._inside(1, fleet))] if g > 1 else []
        rounds = 2 * (h - 1)
        across = [Leg("network", rounds * fleet.network_ns(-(-nbytes // h)), rounds * fleet.network_ns(1))] * (h > 1)
        return (*before, *across, *before)

    @staticmethod
    def _inside(nbytes: int, fleet: Fleet) -> int:
        measured = fleet.wires.all_reduce_ns(1, fleet.each, nbytes)
        if measured is not None:
            return round(measured / 2)
        return (fleet.each - 1) * fleet.wires.inside.send_ns(-(-nbytes // fleet.each))
