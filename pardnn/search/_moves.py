"""Kernels that propose a move: which groups g of nodes, and where to.

`draws` are whole numbers below 2**30, so many a move; nothing else is random.
"""

from typing import NamedTuple

from scheduler._desk import Rows, World
from scheduler._jit import In32, In64, Out32, Out64, inner_kernel

DRAWS = 8
"""Per move."""
LARGEST_DRAW = 1 << 30


class Groups(NamedTuple):
    """The groups, and which of them exchange tensors; frozen."""

    of: In32
    """[n]"""
    ptr: In64
    node: In32
    near_ptr: In64
    near: In32
    """The other groups each group exchanges with, the dearest first."""
    near_ns: In64
    free: In32
    """Those that may move."""
    free_flag: In32
    """[g]"""


class Clusters(NamedTuple):
    """Groups that may move together; frozen."""

    of: In32
    """[g]"""
    ptr: In64
    group: In32


class Path(NamedTuple):
    """Where the walk is."""

    place: Out32
    """[n]"""
    best: Out32
    """[n]"""
    known: Out64
    """[4] row, -1 = not simulated yet; makespan; sum of finishes; best makespan."""
    wait_node: Out32
    """Along the critical chain: the node that waits, ..."""
    wait_cause: Out32
    """the node it waits for, ..."""
    wait_sent: Out32
    """whether for its tensor or for its end, ..."""
    wait_ns: Out64
    """and how long, added up."""
    waits: Out64
    """[1] their number, -1 = not looked for yet."""
    picked: Out32
    """[g] the groups to move, and ..."""
    to: Out32
    """[g] where to."""
    mark: Out64
    """[g + 1] the number of the move for which a group was looked at last; behind them the moves so far."""
    spent: Out64
    """[2] nodes simulated; moves taken."""


@inner_kernel
def trace(w: World, rows: Rows, path: Path) -> None:
    """The waits along the chain that ends with the last node."""
    n, m = len(path.place), len(w.src)
    row = path.known[0]
    v = 0
    for u in range(n):
        if rows.finish[row * n + u] > rows.finish[row * n + v]:
            v = u
    count, total = 0, 0
    while v >= 0 and count < n:
        start = rows.start[row * n + v]
        cause, sent, since = -1, 0, start
        if start > rows.ready[row * n + v]:
            cause = rows.before[row * n + v]
            since = rows.ready[row * n + v]
        else:
            for i in range(w.in_ptr[v], w.in_ptr[v + 1]):
                e = w.in_edge[i]
                carrier = rows.carrier[row * m + e]
                finish = rows.finish[row * n + w.src[e]]
                if carrier < 0 and finish == start:
                    cause, sent, since = w.src[e], 0, start
                elif carrier >= 0 and rows.arrive[row * m + carrier] == start:
                    cause, sent, since = w.src[e], 1, finish
        if cause >= 0 and since < start:
            total += start - since
            path.wait_node[count] = v
            path.wait_cause[count] = cause
            path.wait_sent[count] = sent
            path.wait_ns[count] = total
            count += 1
        v = cause
    path.waits[0] = count


@inner_kernel
def grow(seed: int, most: int, floor_ns: int, near_by: int, to: int, begin: int, groups: Groups, path: Path) -> int:
    """Pick the seed and up to `most` groups around it, over edges of at least floor_ns; returns how many are picked.

    near_by: only those on the seed's device. What is on its target already is passed, not picked. begin: so many are
    picked already.
    """
    move = path.mark[len(path.picked)]
    if path.mark[seed] == move:
        return begin
    home = path.place[groups.node[groups.ptr[seed]]]
    count = begin
    path.mark[seed] = move
    path.picked[count] = seed
    count += 1
    at = begin
    while at < count and count - begin < most:
        g = path.picked[at]
        at += 1
        for i in range(groups.near_ptr[g], groups.near_ptr[g + 1]):
            other = groups.near[i]
            if groups.near_ns[i] < floor_ns or count - begin >= most:
                break
            if path.mark[other] == move or groups.free_flag[other] == 0:
                continue
            there = path.place[groups.node[groups.ptr[other]]]
            if there == home or near_by == 0:
                path.mark[other] = move
                path.picked[count] = other
                count += 1
    for i in range(begin, count):
        path.to[i] = to
    return count


@inner_kernel
def gather(seed: int, to: int, clusters: Clusters, groups: Groups, path: Path) -> int:
    """Pick the seed's cluster, as far as it still is on the seed's device."""
    home = path.place[groups.node[groups.ptr[seed]]]
    count = 0
    for i in range(clusters.ptr[clusters.of[seed]], clusters.ptr[clusters.of[seed] + 1]):
        g = clusters.group[i]
        if groups.free_flag[g] != 0 and path.place[groups.node[groups.ptr[g]]] == home:
            path.picked[count] = g
            path.to[count] = to
            count += 1
    return count


@inner_kernel
def aim(draw: int, draw_b: int, gpus: int, groups: Groups, path: Path, seed: int) -> int:
    """A device for the seed: that of a neighbour, now and then any; -1 = it is there already."""
    home = path.place[groups.node[groups.ptr[seed]]]
    size = groups.near_ptr[seed + 1] - groups.near_ptr[seed]
    to = draw_b % gpus
    if draw % 4 > 0 and size > 0:
        other = groups.near[groups.near_ptr[seed] + draw_b % size]
        to = path.place[groups.node[groups.ptr[other]]]
        if to == home or to >= gpus:
            to = draw_b % gpus
    return int(to) if to != home else -1


@inner_kernel
def propose(at: int, gpus: int, least: int, draws: In64, clusters: Clusters, groups: Groups, path: Path) -> int:
    """Fill `picked` and `to`; returns how many groups are to move."""
    path.mark[len(path.picked)] += 1
    kind, which, side, size = draws[at] & 1023, draws[at + 1], draws[at + 2], draws[at + 3]
    seed, to = -1, -1
    if (kind < 700 or (least > 1 and kind < 960)) and path.waits[0] > 0:
        aimed = int(which / LARGEST_DRAW * path.wait_ns[path.waits[0] - 1])
        if kind < 100:
            aimed = path.wait_ns[which % path.waits[0]]
        low, high = 0, path.waits[0] - 1
        while low < high:
            middle = (low + high) >> 1
            if path.wait_ns[middle] <= aimed:
                low = middle + 1
            else:
                high = middle
        v, u = path.wait_node[low], path.wait_cause[low]
        if side & 1:
            v, u = u, v
        seed = groups.of[v]
        if path.wait_sent[low] != 0:
            to = path.place[u]
        else:
            to = aim(side >> 1, draws[at + 4], gpus, groups, path, seed)
    else:
        seed = groups.free[which % len(groups.free)]
        to = aim(side >> 1, draws[at + 4], gpus, groups, path, seed)
    if to < 0 or to >= gpus or groups.free_flag[seed] == 0:
        return 0
    home = path.place[groups.node[groups.ptr[seed]]]
    if home == to:
        return 0
    if draws[at + 5] & 0x180 == 0 or (least > 1 and draws[at + 5] & 0x180 > 0):
        return int(gather(seed, to, clusters, groups, path))
    low, high = 0, 1
    while (1 << low) < least:
        low += 1
    while (2 << high) < len(path.picked):
        high += 1
    most = 1 << (low + size % max(1, high - low))
    floor_ns = 0
    count = groups.near_ptr[seed + 1] - groups.near_ptr[seed]
    if (size >> 8) & 1 and count > 0:
        floor_ns = groups.near_ns[groups.near_ptr[seed] + (size >> 10) % count]
    picked = grow(seed, most, floor_ns, int((draws[at + 5] & 7) > 0), to, 0, groups, path)
    if draws[at + 5] & 0x70 == 0:
        seed = groups.free[draws[at + 6] % len(groups.free)]
        if path.place[groups.node[groups.ptr[seed]]] == to:
            picked = grow(seed, most, floor_ns, 1, home, picked, groups, path)
    return int(picked)
