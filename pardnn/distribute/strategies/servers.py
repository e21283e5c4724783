"""Parameter servers."""

from __future__ import annotations

from dataclasses import dataclass

from pardnn.distribute.fleet import Fleet, Leg
from pardnn.registry import strategy


@strategy("ps", summary="servers add up what workers push, and workers pull the sums: --servers, one a host by default")
@dataclass(frozen=True)
class Servers:
    """Every worker pushes its gradient, spread over all servers, and pulls the sum.

    A push takes the longer of what leaves a host (all its workers', over its cards) and what enters a server (an S-th
    of every worker's); a pull the same the other way, at the same time as the next push. What the servers' adding up
    takes is not counted, nor is their memory: they are taken to keep pace with their links.
    """

    def __call__(self, nbytes: int, fleet: Fleet) -> tuple[Leg, ...]:
        """Two legs."""
        took, least = self._ns(nbytes, fleet), self._ns(1, fleet)
        return (Leg("push", took, least), Leg("pull", took, least))

    @staticmethod
    def _ns(nbytes: int, fleet: Fleet) -> int:
        servers = fleet.servers or fleet.hosts
        entering = -(-fleet.workers * nbytes // servers)
        if fleet.hosts == 1:
            return fleet.wires.inside.send_ns(max(nbytes, entering))
        return max(fleet.network_ns(nbytes * fleet.each), fleet.wires.network.send_ns(entering))
