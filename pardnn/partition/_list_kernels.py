"""Kernels of list scheduling: when inputs arrive, which idle interval serves, and the two schedulers' loops."""

import math

from scheduler import _heap
from scheduler._jit import In32, In64, In64x2, Out32, Out64, kernel

push = _heap.push
pop = _heap.pop


@kernel
def arrivals(
    v: int, k: int, in_ptr: In64, in_edge: In32, src: In32, edge_bytes: In64, latency_ns: In64, bytes_per_s: In64,
    placement: In32, finish: In64, arrival: Out64,
) -> None:  # fmt: skip
    """arrival[d] = when all inputs of v would be on device d."""
    for d in range(k):
        arrival[d] = 0
    for i in range(in_ptr[v], in_ptr[v + 1]):
        e = in_edge[i]
        home = placement[src[e]]
        ended = finish[src[e]]
        for d in range(k):
            moment = ended
            if d != home:
                pair = home * k + d
                moment += latency_ns[pair] + math.ceil(edge_bytes[e] / float(bytes_per_s[pair]) * 1e9)
            if moment > arrival[d]:
                arrival[d] = moment


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
def add_gap(gap_begin: Out64, gap_end: Out64, base: int, count: int, limit: int, at: int, begin: int, end: int) -> int:
    """Insert an idle interval before the one at `at`; of `limit`, the earliest is forgotten. Returns the new count."""
    if count < limit:
        for i in range(base + count, at, -1):
            gap_begin[i] = gap_begin[i - 1]
            gap_end[i] = gap_end[i - 1]
        gap_begin[at] = begin
        gap_end[at] = end
        return count + 1
    if at > base:
        for i in range(base, at - 1):
            gap_begin[i] = gap_begin[i + 1]
            gap_end[i] = gap_end[i + 1]
        gap_begin[at - 1] = begin
        gap_end[at - 1] = end
    return count


@kernel
def earliest_finish(
    k: int, gpus: int, order: In32,
    in_ptr: In64, in_edge: In32, src: In32, edge_bytes: In64, latency_ns: In64, bytes_per_s: In64, time_ns: In64x2,
    group: In32, need: In64,
    decided: Out32, room: Out64, placement: Out32, finish: Out64, arrival: Out64, free_at: Out64,
    limit: int, gaps: Out64, gap_begin: Out64, gap_end: Out64,
) -> None:  # fmt: skip
    """Place the nodes in `order`, each where it ends first; device d has `gaps[d]` idle intervals from d * limit on."""
    for at in range(len(order)):
        v = order[at]
        g = group[v]
        arrivals(v, k, in_ptr, in_edge, src, edge_bytes, latency_ns, bytes_per_s, placement, finish, arrival)
        best, best_end, best_gap = -1, 0, -1
        for d in range(k):
            if decided[g] != d and (decided[g] >= 0 or d >= gpus or room[d] < need[g]):
                continue
            gap = find_gap(gap_begin, gap_end, d * limit, gaps[d], arrival[d], time_ns[v, d])
            begin = max(arrival[d], free_at[d] if gap < 0 else gap_begin[gap])
            end = begin + time_ns[v, d]
            if best < 0 or end < best_end or (end == best_end and arrival[d] < arrival[best]):
                best, best_end, best_gap = d, end, gap
        if best < 0:
            best = roomiest(gpus, room)
            best_end = max(arrival[best], free_at[best]) + time_ns[v, best]
        if decided[g] < 0:
            decided[g] = best
            room[best] -= need[g]
        placement[v] = best
        finish[v] = best_end
        begin, base = best_end - time_ns[v, best], best * limit
        if best_gap < 0:
            if begin > free_at[best]:
                gaps[best] = add_gap(
                    gap_begin, gap_end, base, gaps[best], limit, base + gaps[best], free_at[best], begin
                )
            free_at[best] = best_end
        else:
            before, after = gap_begin[best_gap], gap_end[best_gap]
            for i in range(best_gap, base + gaps[best] - 1):
                gap_begin[i] = gap_begin[i + 1]
                gap_end[i] = gap_end[i + 1]
            gaps[best] -= 1
            if after > best_end:
                gaps[best] = add_gap(gap_begin, gap_end, base, gaps[best], limit, best_gap, best_end, after)
            if begin > before:
                gaps[best] = add_gap(gap_begin, gap_end, base, gaps[best], limit, best_gap, before, begin)


@kernel
def offer(
    v: int, k: int, gpus: int, rank: In64, group: In32, decided: In32, arrival: In64,
    late_key: Out64, late_rank: Out64, late: Out64, offers: Out64,
) -> None:  # fmt: skip
    """Put the ready node v among the late ones of every device that may still take it."""
    n = len(rank)
    for d in range(k):
        if decided[group[v]] == d or (decided[group[v]] < 0 and d < gpus):
            push(late_key, late_rank, d * n, late[d], arrival[d], rank[v])
            late[d] += 1
            offers[v] += 1


@kernel
def earliest_start(
    k: int, gpus: int, rank: In64, by_rank: In32, waits: Out64, out_ptr: In64, out_edge: In32, dst: In32,
    in_ptr: In64, in_edge: In32, src: In32, edge_bytes: In64, latency_ns: In64, bytes_per_s: In64, time_ns: In64x2,
    group: In32, need: In64,
    decided: Out32, room: Out64, placement: Out32, finish: Out64, arrival: Out64, free_at: Out64,
    late_key: Out64, late_rank: Out64, late: Out64, here_key: Out64, here_rank: Out64, here: Out64, offers: Out64,
) -> None:  # fmt: skip
    """Again and again the ready node and device with the earliest start; ties to the smaller rank, then device.

    Each device has two heaps of ready nodes: `late` by arrival of their inputs there, and `here`, those whose inputs
    arrived before the device is free, by rank. An entry that has become void (its node is placed, its group elsewhere,
    the memory taken) is dropped when it comes to the top; a node that lost its last entry goes where most room is.
    """
    n = len(rank)
    for v in range(n):
        placement[v] = -1
    for v in range(n):
        if waits[v] == 0:
            arrivals(v, k, in_ptr, in_edge, src, edge_bytes, latency_ns, bytes_per_s, placement, finish, arrival)
            offer(v, k, gpus, rank, group, decided, arrival, late_key, late_rank, late, offers)
    done = 0
    while done < n:
        best, best_begin, best_rank = -1, 0, 0
        for d in range(k):
            base = d * n
            while True:
                while late[d] > 0 and late_key[base] <= free_at[d]:
                    r = late_rank[base]
                    pop(late_key, late_rank, base, late[d])
                    late[d] -= 1
                    push(here_key, here_rank, base, here[d], r, r)
                    here[d] += 1
                if here[d] > 0:
                    r, begin = here_rank[base], free_at[d]
                elif late[d] > 0:
                    r, begin = late_rank[base], late_key[base]
                else:
                    break
                v = by_rank[r]
                g = group[v]
                if placement[v] < 0 and (decided[g] == d or (decided[g] < 0 and room[d] >= need[g])):
                    if best < 0 or begin < best_begin or (begin == best_begin and r < best_rank):
                        best, best_begin, best_rank = d, begin, r
                    break
                if here[d] > 0:
                    pop(here_key, here_rank, base, here[d])
                    here[d] -= 1
                else:
                    pop(late_key, late_rank, base, late[d])
                    late[d] -= 1
                offers[v] -= 1
                if offers[v] == 0 and placement[v] < 0:
                    if decided[g] < 0:
                        decided[g] = roomiest(gpus, room)
                        room[decided[g]] -= need[g]
                    arrivals(
                        v, k, in_ptr, in_edge, src, edge_bytes, latency_ns, bytes_per_s, placement, finish, arrival
                    )
                    offer(v, k, gpus, rank, group, decided, arrival, late_key, late_rank, late, offers)
        if best < 0:
            continue  # the last entries were void; their nodes have just been offered again
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
                arrivals(
                    child, k, in_ptr, in_edge, src, edge_bytes, latency_ns, bytes_per_s, placement, finish, arrival
                )
                offer(child, k, gpus, rank, group, decided, arrival, late_key, late_rank, late, offers)
