"""Kernels that walk the graph once: topological order, top and bottom levels."""

from scheduler._jit import In32, In64, Out32, Out64, kernel


@kernel
def topological(out_ptr: In64, out_edge: In32, dst: In32, waits: Out64, order: Out32) -> int:
    """Fill `order` first in, first out; `waits` (in-degrees) is used up. Returns how many nodes were reached."""
    done = 0
    for v in range(len(order)):
        if waits[v] == 0:
            order[done] = v
            done += 1
    at = 0
    while at < done:
        v = order[at]
        at += 1
        for i in range(out_ptr[v], out_ptr[v + 1]):
            child = dst[out_edge[i]]
            waits[child] -= 1
            if waits[child] == 0:
                order[done] = child
                done += 1
    return done


@kernel
def longest_paths(order: In32, ptr: In64, edge: In32, end: In32, node_ns: In64, edge_ns: In64, level: Out64) -> None:
    """The level of v is max over its edges of edge + node_ns[end] + level[end], else 0; ends come first in `order`."""
    for at in range(len(order)):
        v = order[at]
        best = 0
        for i in range(ptr[v], ptr[v + 1]):
            e = edge[i]
            through = edge_ns[e] + node_ns[end[e]] + level[end[e]]
            if through > best:
                best = through
        level[v] = best
