"""Kernel of the earliest starts: the ancestors that must share a node's device, and when they could be done."""

from scheduler import _heap
from scheduler._jit import In32, In64, Out32, Out64, kernel

push = _heap.push
pop = _heap.pop
TOGETHER = 1
APART = 2


@kernel
def earliest(
    order: In32, ptr: In64, edge: In32, end: In32, node_ns: In64, edge_ns: In64, tie: In32,
    most: int, rounds: int, head: Out64,
    key: Out64, who: Out64, seen: Out32, way: Out64, until: Out64,
) -> None:  # fmt: skip
    """Fill `head` [n]; ends of edges come first in `order`, `tie` [m] says which edges never or always leave a device.

    `most` ancestors are looked at, `rounds` times. Of those seen in the round, `way` is the longest way to the node,
    transfers not counted, and `until` the last start of the node that keeps it on the node's device.
    """
    endless = 1 << 61
    stamp = 0
    for at in range(len(order)):
        v = order[at]
        start = 0
        joins = 0
        for i in range(ptr[v], ptr[v + 1]):
            e = edge[i]
            u = end[e]
            moment = head[u] + node_ns[u]
            if tie[e] == APART:
                moment += edge_ns[e]
            elif tie[e] == TOGETHER or edge_ns[e] > 0:
                joins += 1
            start = max(start, moment)
        # With a single input, waiting for its device and having it sent differ only by the transfer.
        for _ in range(rounds if joins > 1 or (joins == 1 and ptr[v + 1] - ptr[v] > 1) else 0):
            stamp += 1
            size, looked, total, done, least = 0, 0, 0, 0, endless
            node, behind = v, 0
            while True:
                for i in range(ptr[node], ptr[node + 1]):
                    e = edge[i]
                    u = end[e]
                    if tie[e] == APART:
                        continue
                    late = endless
                    if tie[e] != TOGETHER:
                        late = head[u] + node_ns[u] + edge_ns[e] + behind
                    if seen[u] == stamp:
                        way[u] = max(way[u], node_ns[u] + behind)
                        until[u] = max(until[u], late)
                    elif late > start:
                        seen[u] = stamp
                        way[u] = node_ns[u] + behind
                        until[u] = late
                        push(key, who, 0, size, -head[u], u)
                        size += 1
                if size == 0 or looked == most:
                    break
                node = who[0]
                pop(key, who, 0, size)
                size -= 1
                looked += 1
                behind = way[node]
                total += node_ns[node]
                done = max(done, head[node] + total)
                least = min(least, until[node])
            if done <= start:
                break
            start = min(done, least)
        head[v] = start
