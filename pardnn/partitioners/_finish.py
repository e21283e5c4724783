"""Kernels of earliest-finish list scheduling: when inputs arrive, which idle interval serves, the loop itself."""

import math

from scheduler._jit import In32, In64, In64x2, Out32, Out64, inner_kernel, kernel


@inner_kernel
def arrival(
    v: int, d: int, k: int, in_ptr: In64, in_edge: In32, src: In32, tensor: In64, edge_bytes: In64,
    latency_ns: In64, bytes_per_s: In64, path_ptr: In64, path_link: In32,
    placement: In32, finish: In64, sent: Out64, link_free: Out64, spent: Out64, final: int,
) -> int:  # fmt: skip
    """When all inputs of v are on device d; books the links on the way and adds up in `spent[0]` what was sent anew.

    `sent[tensor * k + d]` is when a tensor got to d, 0 if it did not; it is written if `final`.
    """
    latest = 0
    spent[0] = 0
    for i in range(in_ptr[v], in_ptr[v + 1]):
        e = in_edge[i]
        moment = finish[src[e]]
        home = placement[src[e]]
        if home != d:
            copy = tensor[e] * k + d
            if sent[copy] > 0:
                moment = sent[copy]
            else:
                pair = home * k + d
                for j in range(path_ptr[pair], path_ptr[pair + 1]):
                    moment = max(moment, link_free[path_link[j]])
                takes = latency_ns[pair] + math.ceil(edge_bytes[e] / float(bytes_per_s[pair]) * 1e9)
                moment += takes
                spent[0] += takes
                for j in range(path_ptr[pair], path_ptr[pair + 1]):
                    link_free[path_link[j]] = moment
                if final != 0:
                    sent[copy] = moment
        latest = max(latest, moment)
    return latest


@inner_kernel
def roomiest(gpus: int, room: In64) -> int:
    """The GPU with most room left; ties to the smaller number."""
    best = 0
    for d in range(1, gpus):
        if room[d] > room[best]:
            best = d
    return best


@inner_kernel
def find_gap(gap_begin: In64, gap_end: In64, base: int, count: int, earliest: int, length: int) -> int:
    """The first of `count` idle intervals, by time from `base`, with `length` left after `earliest`; -1 = none."""
    low, high = base, base + count
    while low < high:
        middle = (low + high) >> 1
        if gap_end[middle] < earliest + length:
            low = middle + 1
        else:
            high = middle
    for i in range(low, base + count):
        if gap_end[i] - max(gap_begin[i], earliest) >= length:
            return i
    return -1


@inner_kernel
def occupy(
    d: int, gap: int, begin: int, end: int, free_at: Out64, limit: int, gaps: Out64, gap_begin: Out64, gap_end: Out64
) -> None:  # fmt: skip
    """Take [begin, end) of device d, out of idle interval `gap` or (-1) behind all else; what stays idle is remembered.

    Device d's intervals are gaps[d] in number, from d * limit on; if there are too many the earliest is forgotten.
    """
    if gap >= 0 and begin == gap_begin[gap]:
        gap_begin[gap] = end
        return
    if gap >= 0:
        after, idle_begin, idle_end = gap, end, gap_end[gap]
        gap_end[gap] = begin
    else:
        after, idle_begin, idle_end = d * limit + gaps[d] - 1, free_at[d], begin
        free_at[d] = end
    if idle_begin == idle_end or limit == 0:
        return
    if gaps[d] == limit:
        for i in range(d * limit, after):
            gap_begin[i] = gap_begin[i + 1]
            gap_end[i] = gap_end[i + 1]
    else:
        after += 1
        for i in range(d * limit + gaps[d], after, -1):
            gap_begin[i] = gap_begin[i - 1]
            gap_end[i] = gap_end[i - 1]
        gaps[d] += 1
    gap_begin[after] = idle_begin
    gap_end[after] = idle_end


@kernel
def earliest_finish(
    k: int, gpus: int, order: In32,
    in_ptr: In64, in_edge: In32, src: In32, tensor: In64, edge_bytes: In64,
    latency_ns: In64, bytes_per_s: In64, path_ptr: In64, path_link: In32, time_ns: In64x2, group: In32, need: In64,
    decided: Out32, room: Out64, placement: Out32, finish: Out64, sent: Out64, free_at: Out64, link_free: Out64,
    gives: In64, unplaced: Out64,
    charge: int, trial: Out64, spent: Out64, limit: int, gaps: Out64, gap_begin: Out64, gap_end: Out64,
) -> None:  # fmt: skip
    """Place the nodes in `order`, each where 100 x its end + `charge` x its transfers is smallest.

    Once its `unplaced` readers are placed a node gives `gives` back to its device's room.
    Device d has `gaps[d]` idle intervals from d * limit on; behind them it is free from free_at[d] on.
    """
    for at in range(len(order)):
        v = order[at]
        g = group[v]
        best, best_cost, best_moment = -1, 0, 0
        for turn in range(k + 1):  # every device on trial, then the best for good
            d = turn
            if turn == k:
                if best < 0:
                    best = roomiest(gpus, room)
                d = best
            elif decided[g] != d and (decided[g] >= 0 or d >= gpus or room[d] < need[g]):
                continue
            for i in range(len(link_free)):
                trial[i] = link_free[i]
            moment = arrival(
                v, d, k, in_ptr, in_edge, src, tensor, edge_bytes, latency_ns, bytes_per_s, path_ptr, path_link,
                placement, finish, sent, trial, spent, turn // k,
            )  # fmt: skip
            gap = find_gap(gap_begin, gap_end, d * limit, gaps[d], moment, time_ns[v, d])
            begin = max(moment, free_at[d] if gap < 0 else gap_begin[gap])
            end = begin + time_ns[v, d]
            if turn < k:
                cost = 100 * end + charge * spent[0]
                if best < 0 or cost < best_cost or (cost == best_cost and moment < best_moment):
                    best, best_cost, best_moment = d, cost, moment
                continue
            for i in range(len(link_free)):
                link_free[i] = trial[i]
            placement[v] = d
            finish[v] = end
            if decided[g] < 0:
                decided[g] = d
                room[d] -= need[g]
            if unplaced[v] == 0:
                room[d] += gives[v]
            for i in range(in_ptr[v], in_ptr[v + 1]):
                u = src[in_edge[i]]
                unplaced[u] -= 1
                if unplaced[u] == 0:
                    room[placement[u]] += gives[u]
            if end > begin:
                occupy(d, gap, begin, end, free_at, limit, gaps, gap_begin, gap_end)
