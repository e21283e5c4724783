"""Kernels of earliest-start list scheduling: two heaps of ready nodes per device.

Heap 2 d holds the ready nodes that device d may take by (arrival of their inputs there, rank), heap 2 d + 1, by (rank,
arrival), those whose inputs are there before the device is free. Heap h lies in heap_key, heap_tie from h * n on. An
entry becomes void when its node is placed, its group goes elsewhere or the room is taken; it is dropped at the top.
"""

from pardnn.partitioners._finish import arrival, roomiest
from scheduler import _heap
from scheduler._jit import In32, In64, In64x2, Out32, Out64, inner_kernel, kernel

push = _heap.push
pop = _heap.pop


@inner_kernel
def first(
    d: int, gpus: int, by_rank: In32, group: In32, need: In64,
    decided: Out32, room: Out64, placement: In32, free_at: In64,
    heap_key: Out64, heap_tie: Out64, size: Out64, offers: Out64, fresh: Out32, waiting: Out64,
) -> int:  # fmt: skip
    """Rank of the node that device d would start first, -1 if it has none; it is at the top of one of d's heaps.

    A node that loses its last entry goes where most room is: its group is decided and it is `fresh` again.
    """
    n = len(by_rank)
    late = 2 * d
    while size[late] + size[late + 1] > 0:
        arrived = size[late] > 0 and heap_key[late * n] <= free_at[d]
        heap = late + 1 if size[late + 1] > 0 and not arrived else late
        key, tie = heap_key[heap * n], heap_tie[heap * n]
        r = tie if heap == late else key
        v = by_rank[r]
        g = group[v]
        void = placement[v] >= 0 or (decided[g] != d and (decided[g] >= 0 or room[d] < need[g]))
        if not void and not arrived:
            return int(r)
        pop(heap_key, heap_tie, heap * n, size[heap])
        size[heap] -= 1
        if not void:
            push(heap_key, heap_tie, (late + 1) * n, size[late + 1], r, key)
            size[late + 1] += 1
            continue
        offers[v] -= 1
        if offers[v] == 0 and placement[v] < 0:
            if decided[g] < 0:
                decided[g] = roomiest(gpus, room)
                room[decided[g]] -= need[g]
            fresh[waiting[0]] = v
            waiting[0] += 1
    return -1


@kernel
def earliest_start(
    k: int, gpus: int, rank: In64, by_rank: In32, waits: Out64, out_ptr: In64, out_edge: In32, dst: In32,
    in_ptr: In64, in_edge: In32, src: In32, tensor: In64, edge_bytes: In64,
    latency_ns: In64, bytes_per_s: In64, path_ptr: In64, path_link: In32, time_ns: In64x2, group: In32, need: In64,
    decided: Out32, room: Out64, placement: Out32, finish: Out64, sent: Out64, free_at: Out64, link_free: Out64,
    spent: Out64, fresh: Out32, waiting: Out64, offers: Out64, heap_key: Out64, heap_tie: Out64, size: Out64,
    least_ns: In64,
) -> None:  # fmt: skip
    """Again and again the ready node and device with the earliest start; ties to the smaller rank, then device.

    A start counts as later by what the node takes longer there than `least_ns`, what it takes on the fastest device.
    The first `waiting[0]` nodes of `fresh` are ready and not yet offered to the devices.
    """
    n = len(rank)
    for v in range(n):
        placement[v] = -1
        if waits[v] == 0:
            fresh[waiting[0]] = v
            waiting[0] += 1
    done = 0
    while done < n:
        while waiting[0] > 0:
            waiting[0] -= 1
            v = fresh[waiting[0]]
            for d in range(k):
                if decided[group[v]] == d or (decided[group[v]] < 0 and d < gpus):
                    moment = arrival(
                        v, d, k, in_ptr, in_edge, src, tensor, edge_bytes, latency_ns, bytes_per_s, path_ptr, path_link,
                        placement, finish, sent, link_free, spent, 0,
                    )  # fmt: skip
                    push(heap_key, heap_tie, 2 * d * n, size[2 * d], moment, rank[v])
                    size[2 * d] += 1
                    offers[v] += 1
        best, best_begin, best_rank, best_cost = -1, 0, 0, 0
        for d in range(k):
            r = first(
                d, gpus, by_rank, group, need, decided, room, placement, free_at,
                heap_key, heap_tie, size, offers, fresh, waiting,
            )  # fmt: skip
            if r < 0:
                continue
            begin = free_at[d] if size[2 * d + 1] > 0 else heap_key[2 * d * n]
            cost = begin + time_ns[by_rank[r], d] - least_ns[by_rank[r]]
            if best < 0 or cost < best_cost or (cost == best_cost and r < best_rank):
                best, best_begin, best_rank, best_cost = d, begin, r, cost
        if best < 0:
            continue  # the last entries were void; their nodes are offered again
        v = by_rank[best_rank]
        if decided[group[v]] < 0:
            decided[group[v]] = best
            room[best] -= need[group[v]]
        placement[v] = best
        finish[v] = best_begin + time_ns[v, best]
        free_at[best] = finish[v]
        done += 1
        for i in range(out_ptr[v], out_ptr[v + 1]):
            child = dst[out_edge[i]]
            waits[child] -= 1
            if waits[child] == 0:
                fresh[waiting[0]] = child
                waiting[0] += 1
