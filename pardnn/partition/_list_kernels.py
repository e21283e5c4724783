"""Kernels of list scheduling: when inputs arrive, which idle interval serves, and the two schedulers' loops."""

import math

from scheduler import _heap
from scheduler._jit import In32, In64, In64x2, Out32, Out64, kernel

push = _heap.push
pop = _heap.pop


@kernel
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


@kernel
def roomiest(gpus: int, room: In64) -> int:
    """The GPU with most room left; ties to the smaller number."""
    best = 0
    for d in range(1, gpus):
        if room[d] > room[best]:
            best = d
    return best


@kernel
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


@kernel
def use_gap(
    gap_begin: Out64, gap_end: Out64, base: int, count: int, limit: int, at: int, begin: int, end: int
) -> int:  # fmt: skip
    """Take [begin, end) out of idle interval `at`; of more than `limit` the earliest is forgotten. The new count."""
    if begin == gap_begin[at]:
        gap_begin[at] = end
        return count
    last = gap_end[at]
    gap_end[at] = begin
    if end == last:
        return count
    if count < limit:
        for i in range(base + count, at + 1, -1):
            gap_begin[i] = gap_begin[i - 1]
            gap_end[i] = gap_end[i - 1]
        count += 1
        at += 1
    else:
        for i in range(base, at):
            gap_begin[i] = gap_begin[i + 1]
            gap_end[i] = gap_end[i + 1]
    gap_begin[at] = end
    gap_end[at] = last
    return count


@kernel
def earliest_finish(
    k: int, gpus: int, order: In32,
    in_ptr: In64, in_edge: In32, src: In32, tensor: In64, edge_bytes: In64,
    latency_ns: In64, bytes_per_s: In64, path_ptr: In64, path_link: In32, time_ns: In64x2, group: In32, need: In64,
    decided: Out32, room: Out64, placement: Out32, finish: Out64, sent: Out64, free_at: Out64, link_free: Out64,
    charge: int, trial: Out64, spent: Out64, limit: int, gaps: Out64, gap_begin: Out64, gap_end: Out64,
) -> None:  # fmt: skip
    """Place the nodes in `order`, each where 100 x its end + `charge` x its transfers is smallest.

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
            if gap < 0 and begin > free_at[d] and limit > 0:
                gap = d * limit + gaps[d]
                if gaps[d] == limit:
                    for i in range(d * limit, gap - 1):
                        gap_begin[i] = gap_begin[i + 1]
                        gap_end[i] = gap_end[i + 1]
                    gap -= 1
                else:
                    gaps[d] += 1
                gap_begin[gap] = free_at[d]
                gap_end[gap] = begin
                free_at[d] = end
            elif gap < 0:
                free_at[d] = end
            elif end > begin:
                gaps[d] = use_gap(gap_begin, gap_end, d * limit, gaps[d], limit, gap, begin, end)


@kernel
def earliest_start(
    k: int, gpus: int, rank: In64, by_rank: In32, waits: Out64, out_ptr: In64, out_edge: In32, dst: In32,
    in_ptr: In64, in_edge: In32, src: In32, tensor: In64, edge_bytes: In64,
    latency_ns: In64, bytes_per_s: In64, path_ptr: In64, path_link: In32, time_ns: In64x2, group: In32, need: In64,
    decided: Out32, room: Out64, placement: Out32, finish: Out64, sent: Out64, free_at: Out64, link_free: Out64,
    spent: Out64, fresh: Out32, offers: Out64, heap_key: Out64, heap_rank: Out64, size: Out64,
) -> None:  # fmt: skip
    """Again and again the ready node and device with the earliest start; ties to the smaller rank, then device.

    Each device d has two heaps of ready nodes: heap 2 d by arrival of their inputs there, and heap 2 d + 1, by rank, of
    those whose inputs are there before the device is free. An entry that has become void (its node is placed, its group
    is elsewhere, the room taken) is dropped when it comes to the top; a node that lost its last entry goes where most
    room is. `fresh` holds the nodes to be offered to the devices.
    """
    n = len(rank)
    waiting = 0
    for v in range(n):
        placement[v] = -1
        if waits[v] == 0:
            fresh[waiting] = v
            waiting += 1
    done = 0
    while done < n:
        while waiting > 0:
            waiting -= 1
            v = fresh[waiting]
            for d in range(k):
                if decided[group[v]] == d or (decided[group[v]] < 0 and d < gpus):
                    moment = arrival(
                        v, d, k, in_ptr, in_edge, src, tensor, edge_bytes, latency_ns, bytes_per_s, path_ptr, path_link,
                        placement, finish, sent, link_free, spent, 0,
                    )  # fmt: skip
                    push(heap_key, heap_rank, 2 * d * n, size[2 * d], moment, rank[v])
                    size[2 * d] += 1
                    offers[v] += 1
        best, best_begin, best_rank = -1, 0, 0
        for d in range(k):
            late = 2 * d
            while size[late] + size[late + 1] > 0:
                arrived = size[late] > 0 and heap_key[late * n] <= free_at[d]
                heap = late + 1 if size[late + 1] > 0 and not arrived else late
                r = heap_rank[heap * n]
                v = by_rank[r]
                g = group[v]
                void = placement[v] >= 0 or (decided[g] != d and (decided[g] >= 0 or room[d] < need[g]))
                if not void and not arrived:
                    begin = max(free_at[d], heap_key[heap * n]) if heap == late else free_at[d]
                    if best < 0 or begin < best_begin or (begin == best_begin and r < best_rank):
                        best, best_begin, best_rank = d, begin, r
                    break
                pop(heap_key, heap_rank, heap * n, size[heap])
                size[heap] -= 1
                if not void:
                    push(heap_key, heap_rank, (late + 1) * n, size[late + 1], r, r)
                    size[late + 1] += 1
                    continue
                offers[v] -= 1
                if offers[v] == 0 and placement[v] < 0:
                    if decided[g] < 0:
                        decided[g] = roomiest(gpus, room)
                        room[decided[g]] -= need[g]
                    fresh[waiting] = v
                    waiting += 1
        if best < 0:
            continue  # the last entries were void; their nodes are offered again
        v = by_rank[best_rank]
        g = group[v]
        if decided[g] < 0:
            decided[g] = best
            room[best] -= need[g]
        placement[v] = best
        finish[v] = best_begin + time_ns[v, best]
        free_at[best] = finish[v]
        done += 1
        for i in range(out_ptr[v], out_ptr[v + 1]):
            child = dst[out_edge[i]]
            waits[child] -= 1
            if waits[child] == 0:
                fresh[waiting] = child
                waiting += 1
