"""A directed acyclic graph in compressed sparse row form, both ways."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scheduler import _walk

Scalar = TypeVar("Scalar", bound=np.generic)


class CycleError(ValueError):
    """The graph has a cycle; `cycle` lists its nodes in order of the edges, the first one not repeated."""

    def __init__(self, cycle: list[int]) -> None:
        super().__init__(f"graph has a cycle of {len(cycle)} nodes: {' -> '.join(map(str, cycle[:10]))}")
        self.cycle = cycle


def frozen(array: ArrayLike, dtype: type[Scalar]) -> NDArray[Scalar]:
    """The array, of whatever shape [...], as contiguous `dtype`, read-only; a copy only where one is needed."""
    result = np.ascontiguousarray(array, dtype=dtype)
    if result.flags.writeable:
        result = result.view() if result is not array else result.copy()
        result.flags.writeable = False
    return result


@dataclass(frozen=True, eq=False)
class Dag:
    """n nodes, m edges `src[e] -> dst[e]` in file order; parallel edges are allowed.

    `out_edge[out_ptr[v]:out_ptr[v + 1]]` are the numbers of the edges that leave v, in file order; `in_*` likewise.
    Build with `Dag.from_edges`, O(n + m).
    """

    n: int
    src: NDArray[np.int32]
    dst: NDArray[np.int32]
    out_ptr: NDArray[np.int64]
    out_edge: NDArray[np.int32]
    in_ptr: NDArray[np.int64]
    in_edge: NDArray[np.int32]

    @classmethod
    def from_edges(cls, n: int, src: ArrayLike, dst: ArrayLike) -> Dag:
        """The graph of the edges `src[e] -> dst[e]`; node numbers must lie in [0, n). Cycles are found by `order`."""
        tail, head = frozen(src, np.int32), frozen(dst, np.int32)
        if tail.shape != head.shape or tail.ndim != 1:
            raise ValueError(f"src and dst must be columns of one length, not {tail.shape} and {head.shape}")
        if len(tail) and (min(tail.min(), head.min()) < 0 or max(tail.max(), head.max()) >= n):
            raise ValueError(f"an edge names a node outside [0, {n})")
        return cls(n, tail, head, *rows(n, tail), *rows(n, head))

    @property
    def m(self) -> int:
        """Number of edges."""
        return len(self.src)

    @cached_property
    def order(self) -> NDArray[np.int32]:
        """[n] a topological order: first in, first out, ties to the smaller number. O(n + m). Raises CycleError."""
        order = np.empty(self.n, np.int32)
        waits = np.diff(self.in_ptr)
        done = _walk.topological(self.out_ptr, self.out_edge, self.dst, waits, order)
        if done < self.n:
            raise CycleError(self._cycle(waits))
        order.flags.writeable = False
        return order

    def _cycle(self, waits: NDArray[np.int64]) -> list[int]:
        """One cycle among the nodes that still wait, found by walking back until a node repeats."""
        node = int(np.flatnonzero(waits > 0)[0])
        seen: dict[int, int] = {}
        walk: list[int] = []
        while node not in seen:
            seen[node] = len(walk)
            walk.append(node)
            edges = self.in_edge[self.in_ptr[node] : self.in_ptr[node + 1]]
            node = int(next(u for u in self.src[edges] if waits[u] > 0))
        return walk[seen[node] :][::-1]


def rows(n: int, row: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """(ptr [n + 1], item) in compressed sparse row form, `row[i]` being the row of item i; items keep their order."""
    item = np.argsort(row, kind="stable").astype(np.int32)
    ptr = np.zeros(n + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=n), out=ptr[1:])
    return frozen(ptr, np.int64), frozen(item, np.int32)
