"""All-reduce over two trees."""

from __future__ import annotations

from dataclasses import dataclass

from pardnn.distribute.fleet import Fleet, Leg
from pardnn.registry import strategy


@strategy(
    "tree", summary="sums go up a tree of the workers and come down again, in pieces: few rounds, for small sizes"
)
@dataclass(frozen=True)
class Tree:
    """Up a tree and down again in m pieces, m the power of two that is fastest.

    On two trees at once, each with half of the bytes, every worker is a leaf of one and receives as much as it sends
    [1]: the whole passes each link once up and once down. With d levels, 2 (d + m - 1) times (latency + bytes / m /
    bandwidth); the levels inside a host are its own, those between hosts cross the network.
    [1] Sanders, Speck, Träff: Two-tree algorithms for full bandwidth broadcast, reduction and scan. Parallel Computing
    35 (2009), doi 10.1016/j.parco.2009.09.001.
    """

    most_pieces: int = 4096

    def __call__(self, nbytes: int, fleet: Fleet) -> tuple[Leg, ...]:
        """One leg."""
        pieces, took = 1, self._ns(nbytes, fleet)
        while 2 * pieces <= min(self.most_pieces, nbytes):
            finer = self._ns(nbytes, fleet, 2 * pieces)
            if finer >= took:
                break
            pieces, took = 2 * pieces, finer
        return (Leg("link" if fleet.hosts == 1 else "network", took, self._ns(1, fleet)),)

    def _ns(self, nbytes: int, fleet: Fleet, pieces: int = 1) -> int:
        piece = -(-nbytes // pieces)
        inside = fleet.wires.inside.send_ns(piece) if fleet.each > 1 else 0
        across = fleet.network_ns(piece) if fleet.hosts > 1 else 0
        levels = _levels(fleet.each) * inside + _levels(fleet.hosts) * across
        return 2 * (levels + (pieces - 1) * max(inside, across))


def _levels(n: int) -> int:
    """Levels of a binary tree of so many: the logarithm, rounded up.

    >>> [_levels(n) for n in (1, 2, 3, 8, 9)]
    [0, 1, 2, 3, 4]
    """
    return (n - 1).bit_length()
