"""Strongly connected components: how many cycles that hang together a graph has."""

from __future__ import annotations

from scheduler.dag import Dag


def components_with_cycles(ways: Dag) -> int:
    """Number of strongly connected components of more than one node. O(n + m), without recursion.

    [1] R. E. Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1972, doi:10.1137/0201010.
    """
    ptr, ends = ways.out_ptr.tolist(), ways.dst[ways.out_edge].tolist()
    fresh, done = -1, ways.n
    number = [fresh] * ways.n  # order of discovery; `done` once its component is complete
    low = [0] * ways.n  # the smallest number reachable within the component
    cursor = ptr[:-1]
    found = clock = 0
    stack: list[int] = []
    for root in range(ways.n):
        if number[root] != fresh:
            continue
        path = [root]
        while path:
            v = path[-1]
            if number[v] == fresh:
                number[v] = low[v] = clock
                clock += 1
                stack.append(v)
            if cursor[v] < ptr[v + 1]:
                u = ends[cursor[v]]
                cursor[v] += 1
                if number[u] == fresh:
                    path.append(u)
                else:
                    low[v] = min(low[v], number[u])
                continue
            path.pop()
            if path:
                low[path[-1]] = min(low[path[-1]], low[v])
            if low[v] == number[v]:
                size = 0
                while not size or u != v:
                    u = stack.pop()
                    number[u] = low[u] = done
                    size += 1
                found += size > 1
    return found
