"""Kernels of the walk from placement to placement: whether to go where a move leads."""

import math

from pardnn.search._moves import DRAWS, LARGEST_DRAW, Clusters, Groups, Path, propose, trace
from scheduler._desk import UNBOUNDED, Desk, Rows, World
from scheduler._jit import In64, inner_kernel, kernel
from scheduler._recall import adopt, first_difference
from scheduler._replay import resume


@inner_kernel
def apply(picked: int, w: World, rows: Rows, groups: Groups, path: Path) -> int:
    """Move the picked groups; `to` then holds where they were. The moment from which that may matter, -1 = never."""
    row = path.known[0]
    moment = -1
    for i in range(picked):
        g = path.picked[i]
        home = path.place[groups.node[groups.ptr[g]]]
        if home != path.to[i]:
            for j in range(groups.ptr[g], groups.ptr[g + 1]):
                if moment != 0:
                    when = first_difference(groups.node[j], path.to[i], row, w, rows, path.place)
                    moment = when if moment < 0 else min(moment, when)
    for i in range(picked):
        g = path.picked[i]
        home = path.place[groups.node[groups.ptr[g]]]
        for j in range(groups.ptr[g], groups.ptr[g + 1]):
            path.place[groups.node[j]] = path.to[i]
        path.to[i] = home
    return moment


@inner_kernel
def remember(path: Path) -> None:
    """Where the walk is is the best so far."""
    path.known[3] = path.known[1]
    for v in range(len(path.place)):
        path.best[v] = path.place[v]


@kernel
def walk(
    moves: int, gpus: int, least: int, heat_ns: float, budget: int, draws: In64,
    w: World, rows: Rows, desk: Desk, clusters: Clusters, groups: Groups, path: Path,
) -> int:  # fmt: skip
    """Try up to so many moves, until the budget of simulated nodes is spent; returns what is spent.

    -1 if the start does not fit.
    The sizes of regions are drawn from `least` groups on. A move is taken if the step is then no longer than before
    plus an exponential draw with mean heat_ns.
    """
    n = len(path.place)
    path.spent[0] += n  # the clusters were not for nothing
    if path.known[0] < 0:
        path.known[0] = 0
        path.known[1] = resume(1, 0, 0, UNBOUNDED, w, rows, desk, path.place)
        if path.known[1] < 0:
            return -1
        remember(path)
    for move in range(moves):
        if path.spent[0] >= budget:
            break
        if path.waits[0] < 0:
            trace(w, rows, path)
        at = move * DRAWS
        picked = propose(at, gpus, least, draws, clusters, groups, path)
        if picked == 0:
            continue
        moment = apply(picked, w, rows, groups, path)
        makespan, row = -1, 1 - path.known[0]
        if moment >= 0:
            slack = -heat_ns * math.log((draws[at + 7] + 1) / LARGEST_DRAW)
            bound = path.known[1] + int(slack)
            makespan = resume(path.known[0], row, moment, bound, w, rows, desk, path.place)
            path.spent[0] += n // 8 + desk.counts[1] - desk.counts[3]
        if makespan < 0:
            for i in range(picked):
                g = path.picked[i]
                for j in range(groups.ptr[g], groups.ptr[g + 1]):
                    path.place[groups.node[j]] = path.to[i]
            continue
        adopt(path.known[0], row, moment, w, rows)
        path.spent[1] += 1
        path.known[0], path.known[1], path.known[2] = row, makespan, desk.counts[2]
        path.waits[0] = -1
        if makespan < path.known[3]:
            remember(path)
    return int(path.spent[0])
