"""The body of a loop, a branch or a call, seen from outside: the cost of one op."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from pardnn.cost import memory
from pardnn.cost.graph import GraphCosts
from pardnn.cost.record import SOURCES, Kernel, OpCost, Source
from pardnn.cost.tensor import LARGEST
from pardnn.graph.opgraph import OpGraph


def body_cost(graph: OpGraph, costs: GraphCosts) -> OpCost:
    """One run of the body: all its kernels, the most bytes it holds at a time as output, what it keeps as resident.

    The arguments are the caller's: they cost nothing here.
    """
    runs = zip(costs.costs, graph.trips.tolist(), strict=True)
    kernels = _merged((kernel, trips) for cost, trips in runs for kernel in cost.kernels)
    held = zip(graph.nodes, memory.resident_bytes(graph, costs).tolist(), strict=True)
    resident = sum(size for node, size in held if node.op != "_Arg")
    none: Source = "roofline"
    source = max((cost.source for cost in costs.costs), key=SOURCES.index, default=none)
    return OpCost(kernels, min(_peak(graph, costs), LARGEST), 0, min(resident, LARGEST), source)


def _merged(runs: Iterable[tuple[Kernel, int]]) -> tuple[Kernel, ...]:
    """Each kernel as often as it runs, equal launches as one: bodies in bodies in bodies repeat what they do."""
    often: dict[Kernel, int] = {}
    for kernel, trips in runs:
        count = math.gcd(kernel.flops, kernel.bytes_read, kernel.bytes_written, kernel.launches)
        single = _times(kernel, 1, max(count, 1))
        often[single] = often.get(single, 0) + trips * max(count, 1)
    return tuple(_times(kernel, count) for kernel, count in often.items())


def _times(kernel: Kernel, factor: int, divisor: int = 1) -> Kernel:
    return kernel._replace(
        flops=kernel.flops * factor // divisor,
        bytes_read=kernel.bytes_read * factor // divisor,
        bytes_written=kernel.bytes_written * factor // divisor,
        launches=kernel.launches * factor // divisor,
    )


def _peak(graph: OpGraph, costs: GraphCosts) -> int:
    """The most that outputs and scratch take when the ops run one after another; what nobody reads is a result."""
    fresh = (memory.output_bytes(graph, costs) - memory.pushed_bytes(graph, costs)).tolist()
    temp = memory.temp_bytes(graph, costs).tolist()
    dag = graph.dag
    unread = np.diff(dag.out_ptr).tolist()
    in_ptr, sources = dag.in_ptr.tolist(), dag.src[dag.in_edge].tolist()
    held = most = 0
    for v in dag.order.tolist():
        if graph.nodes[v].op == "_Arg":
            fresh[v] = 0
        held += fresh[v]
        most = max(most, held + temp[v])
        for u in sources[in_ptr[v] : in_ptr[v + 1]]:
            unread[u] -= 1
            if not unread[u]:
                held -= fresh[u]
    return most
