"""Few edges out of many: those are dropped without which a step takes no longer."""

from __future__ import annotations

from collections.abc import Callable

from pardnn.order.edges import Edges


def shed(edges: Edges, cost: Callable[[Edges], int], slack: int, price: int, tries: int) -> tuple[Edges, int]:
    """(the edges that are needed, what they cost), after so many tries at most; the same edges in the same order.

    Half of them are dropped at a time, then quarters, ... then single ones, each piece if the cost stays within `slack`
    of the least met; then single ones again that save less than `price`.
    """
    kept, least = edges, cost(edges)
    size = len(edges) // 2
    while size and tries > 0:
        kept, least, used = _without(kept, cost, least + slack, least, size, tries)
        tries -= used
        size //= 2
    now = cost(kept)
    before = len(kept) + 1
    while len(kept) < before and tries > 0:
        before = len(kept)
        for edge in kept:
            if tries <= 0:
                break
            tries -= 1
            rest = tuple(other for other in kept if other != edge)
            if (found := cost(rest)) <= now + price:
                kept, now = rest, found
    return kept, now


def _without(
    edges: Edges, cost: Callable[[Edges], int], limit: int, least: int, size: int, tries: int
) -> tuple[Edges, int, int]:
    """(edges, least cost met, tries) after each piece of so many was dropped that can be."""
    slack, at, used = limit - least, 0, 0
    while at < len(edges) and used < tries:
        rest = edges[:at] + edges[at + size :]
        used += 1
        if (found := cost(rest)) <= least + slack:
            edges, least = rest, min(least, found)
        else:
            at += size
    return edges, least, used
