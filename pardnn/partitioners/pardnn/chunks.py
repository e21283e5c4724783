"""Heuristic II B of ParDNN: the longest primary shared out, for graphs too thin to fill the devices otherwise."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pardnn.partitioners.pardnn.slicing import Clusters, slice_graph
from pardnn.problem import Problem


def thin_slices(problem: Problem) -> Clusters:
    """The slices, the longest primary cut: it keeps its head, contiguous chunks of the rest go to the shortest ones.

    One chunk each, the shortest primary first, so large that its device comes up to an equal share of the primaries'
    memory (resident and output bytes). To be used as `ParDNN(slices=thin_slices)`. Promises nothing. O(n).
    """
    clusters = slice_graph(problem)
    devices, weight = clusters.primaries, problem.workload.resident_bytes + problem.workload.output_bytes
    paths = [clusters.node[a:b] for a, b in zip(clusters.ptr[:devices], clusters.ptr[1 : devices + 1], strict=True)]
    held = np.array([int(weight[path].sum()) for path in paths])
    share = int(held.sum()) // devices
    longest = int(np.argmax([len(path) for path in paths]))
    reach = np.cumsum(weight[paths[longest]])
    at, rest = _cut(reach, 0, share), paths[longest]
    head, end = rest[:at], len(rest)
    needy = [d for d in range(devices) if d != longest and held[d] < share]
    for d in sorted(needy, key=lambda d: (len(paths[d]), d)):
        needy.remove(d)
        until = _cut(reach, at, share - int(held[d])) if needy else end
        paths[d], at = np.concatenate([paths[d], rest[at:until]]), min(until, end)
    paths[longest] = head if at == end else rest
    return _with_primaries(clusters, paths)


def _cut(reach: NDArray[np.int64], begin: int, size: int) -> int:
    """The end of the chunk from `begin` that comes nearest to the size without going over it, but is not empty."""
    done = int(reach[begin - 1]) if begin else 0
    return max(begin + 1, int(np.searchsorted(reach, done + size, side="right")))


def _with_primaries(clusters: Clusters, paths: list[NDArray[np.int32]]) -> Clusters:
    ptr, of = clusters.ptr.copy(), clusters.of.copy()
    ptr[1 : len(paths) + 1] = np.cumsum([len(path) for path in paths])
    for d, path in enumerate(paths):
        of[path] = d
    rest = clusters.node[clusters.ptr[len(paths)] :]
    return Clusters(ptr, np.concatenate([*paths, rest]).astype(np.int32), of, clusters.primaries)
