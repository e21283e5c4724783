"""Kernels of the event simulation: first what has to be sent, then the run itself."""

import math

from scheduler import _heap
from scheduler._jit import In32, In64, In64x2, Out32, Out64, OutFlags, kernel

push = _heap.push
pop = _heap.pop


@kernel
def place(
    k: int, placement: In32, time_ns: In64x2, out_ptr: In64, out_edge: In32, dst: In32,
    edge_slot: In32, edge_bytes: In64, latency_ns: In64, bytes_per_s: In64, seen: Out32,
    node_ns: Out64, transfer_ptr: Out64, edge_transfer: Out32, transfer_src: Out32, transfer_device: Out32,
    transfer_ns: Out64, first_edge: Out32, next_edge: Out32,
) -> int:  # fmt: skip
    """Look up the nodes' times; number the transfers by producer, then by edge; return how many there are.

    There is one per (producer, receiving device, size); those of v begin at transfer_ptr[v]. `seen` [slots * k] starts
    at -1. Edges are chained, first_edge[i], next_edge of that, ... -1: with i = v those of node v to its own device,
    with i = n + t those of transfer t.
    """
    n = len(placement)
    count = 0
    for v in range(n):
        here = placement[v]
        before = count
        node_ns[v] = time_ns[v, here]
        transfer_ptr[v] = count
        first_edge[v] = -1
        for i in range(out_ptr[v], out_ptr[v + 1]):
            e = out_edge[i]
            there = placement[dst[e]]
            t = -1
            chain = v
            if there != here:
                slot = edge_slot[e] * k + there
                t = seen[slot]
                if t < before:
                    t = count
                    count += 1
                    seen[slot] = t
                    transfer_src[t] = v
                    transfer_device[t] = there
                    pair = here * k + there
                    transfer_ns[t] = latency_ns[pair] + math.ceil(edge_bytes[e] / float(bytes_per_s[pair]) * 1e9)
                    first_edge[n + t] = -1
                chain = n + t
            edge_transfer[e] = t
            next_edge[e] = first_edge[chain]
            first_edge[chain] = e
    transfer_ptr[n] = count
    return count


@kernel
def run(
    k: int, by_arrival: int, rank: In64, waits: Out64, placement: In32, node_ns: In64, dst: In32,
    first_edge: In32, next_edge: In32, transfer_ptr: In64, transfer_device: In32, transfer_ns: In64,
    path_ptr: In64, path_link: In32, link_free: Out64, idle: OutFlags,
    event_key: Out64, event_tie: Out64, started: Out64,
    ready_key: Out64, ready_tie: Out64, ready_base: In64, ready_size: Out64,
    start: Out64, finish: Out64, transfer_start: Out64, transfer_finish: Out64,
) -> int:  # fmt: skip
    """Simulate one step; fills start and finish of nodes and transfers; returns how many nodes ran.

    Events are (time, tie): arrivals of transfers before ends of nodes, each in the order they were started; `started`
    maps that order to a node (v) or a transfer (n + t). Ready nodes are (key, node) in their device's slice.
    """
    n = len(placement)
    ends = 1 << 62  # added to the tie of a node's end: after all arrivals of the same moment
    events = 0
    sequence = 0
    done = 0
    now = 0
    for v in range(n):
        if waits[v] == 0:
            d = placement[v]
            push(ready_key, ready_tie, ready_base[d], ready_size[d], rank[v], v)
            ready_size[d] += 1
    while True:
        # every idle device, in rising number, takes its next node
        for d in range(k):
            if idle[d] and ready_size[d] > 0:
                base = ready_base[d]
                v = ready_tie[base]
                pop(ready_key, ready_tie, base, ready_size[d])
                ready_size[d] -= 1
                idle[d] = False
                start[v] = now
                finish[v] = now + node_ns[v]
                started[sequence] = v
                push(event_key, event_tie, 0, events, finish[v], ends + sequence)
                events += 1
                sequence += 1
        if events == 0:
            return done
        now = event_key[0]
        while events > 0 and event_key[0] == now:
            what = started[event_tie[0] & (ends - 1)]
            pop(event_key, event_tie, 0, events)
            events -= 1
            e = first_edge[what]
            while e >= 0:  # the readers of what ended or arrived stop waiting for it
                child = dst[e]
                waits[child] -= 1
                if waits[child] == 0:
                    d = placement[child]
                    push(ready_key, ready_tie, ready_base[d], ready_size[d], by_arrival * now + rank[child], child)
                    ready_size[d] += 1
                e = next_edge[e]
            if what >= n:
                continue
            done += 1
            idle[placement[what]] = True
            for t in range(transfer_ptr[what], transfer_ptr[what + 1]):
                pair = placement[what] * k + transfer_device[t]
                begin = now
                for i in range(path_ptr[pair], path_ptr[pair + 1]):
                    begin = max(begin, link_free[path_link[i]])
                transfer_start[t] = begin
                transfer_finish[t] = begin + transfer_ns[t]
                for i in range(path_ptr[pair], path_ptr[pair + 1]):
                    link_free[path_link[i]] = transfer_finish[t]
                started[sequence] = n + t
                push(event_key, event_tie, 0, events, transfer_finish[t], sequence)
                events += 1
                sequence += 1
