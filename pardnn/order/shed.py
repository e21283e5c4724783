"""Few edges out of many: those are dropped that save too little of a step, alone or by the piece."""

from __future__ import annotations

from collections.abc import Callable

from pardnn.order.edges import Edges

Cost = Callable[[Edges], int]


def shed(edges: Edges, cost: Cost, slack: int, price: int, tries: int) -> tuple[Edges, int]:
    """(the edges that are worth it, what they cost), after so many tries at most; the same edges in the same order.

    Half of them are dropped at a time, then quarters, ... then single ones, each piece if the cost stays within `slack`
    of the least met. Where many edges are left for few tries, this ends at pieces. Then pieces again, as small as the
    tries that are left allow and then twice as large each time, up to an eighth of all: each goes that saves less than
    `price` times its edges.
    """
    kept, least = edges, cost(edges)
    size, left = len(edges) // 2, tries - tries // 3
    while size and left > 0:
        kept, least, used = _without(kept, cost, lambda low, _: low + slack, least, size, left)
        left -= used
        size //= 2
    left += tries // 3
    now, size = cost(kept), 1
    while kept and left > 0 and (size == 1 or size <= len(kept) // 8):
        size, before = max(size, -(-len(kept) // left)), len(kept)
        kept, now, used = _without(kept, cost, lambda at, dropped: at + price * dropped, now, size, left, down=False)
        left -= used
        if size > 1 or len(kept) == before:  # single ones again, as long as that drops any
            size *= 2
    return kept, now


def _without(
    edges: Edges, cost: Cost, most: Callable[[int, int], int], now: int, size: int, tries: int, *, down: bool = True
) -> tuple[Edges, int, int]:
    """(edges, cost, tries) after each piece of so many was dropped without which the cost is at most `most`.

    `most` is told the cost so far, that of the edges or, with `down`, the least met, and how many are dropped.
    """
    at, used = 0, 0
    while at < len(edges) and used < tries:
        rest = edges[:at] + edges[at + size :]
        used += 1
        if (found := cost(rest)) <= most(now, len(edges) - len(rest)):
            edges, now = rest, min(now, found) if down else found
        else:
            at += size
    return edges, now, used
