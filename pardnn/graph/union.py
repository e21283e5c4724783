"""Disjoint sets of nodes that must stay together."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


class Sets:
    """n nodes, each in a set of its own until joined; near-linear in the joins.

    >>> sets = Sets(4)
    >>> sets.join(3, 1)
    >>> sets.numbers(range(4)).tolist()
    [0, 1, 2, 1]
    """

    def __init__(self, n: int) -> None:
        self._parent = list(range(n))

    def find(self, v: int) -> int:
        """The smallest member of v's set."""
        parent = self._parent
        while parent[v] != v:
            parent[v] = v = parent[parent[v]]  # path halving: no recursion however long the chain
        return v

    def join(self, u: int, v: int) -> None:
        """Make one set of u's and v's."""
        a, b = self.find(u), self.find(v)
        if a != b:
            self._parent[max(a, b)] = min(a, b)

    def numbers(self, nodes: Iterable[int]) -> NDArray[np.int32]:
        """The set of each of the nodes, numbered densely in the order in which the sets appear."""
        seen: dict[int, int] = {}
        return np.asarray([seen.setdefault(self.find(v), len(seen)) for v in nodes], np.int32)
