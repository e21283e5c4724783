"""Equal workers on equal hosts, and the legs of the way that a gradient takes among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from pardnn.machines.wires import Wires

Stream = Literal["link", "network", "push", "pull"]
"""What carries one leg after the other: a worker's link inside its host, the host's network, and of parameter servers
the ways to them and back, which do not wait for each other."""


@dataclass(frozen=True)
class Leg:
    """A part of a synchronisation: so long on one stream."""

    stream: Stream
    ns: int
    latency_ns: int
    """What of it would be left for a byte."""


@dataclass(frozen=True)
class Fleet:
    """So many workers, filling one host after the other."""

    workers: int
    per_host: int
    wires: Wires
    servers: int | None = None
    """Parameter servers; None = one a host."""

    @property
    def hosts(self) -> int:
        """Hosts in use."""
        return -(-self.workers // self.per_host)

    @property
    def each(self) -> int:
        """Workers on a full host."""
        return min(self.workers, self.per_host)

    def network_ns(self, nbytes: int) -> int:
        """So many bytes out of a host, over its cards side by side."""
        return self.wires.network.send_ns(-(-nbytes // self.wires.cards))

    def round(self, nbytes: int) -> tuple[Stream, int]:
        """The slower of a worker sending so many bytes to its neighbour in the host and to one in the next host."""
        inside = self.wires.inside.send_ns(nbytes)
        if self.hosts == 1:
            return "link", inside
        across = self.network_ns(nbytes)
        return "network", max(across, inside if self.each > 1 else 0)


class Strategy(Protocol):
    """How workers get the sum of a gradient: its legs, one behind the other. `fleet` has at least two workers."""

    def __call__(self, nbytes: int, fleet: Fleet) -> tuple[Leg, ...]:
        """The legs of so many bytes."""
        ...
