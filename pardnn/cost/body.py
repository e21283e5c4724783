"""The body of a loop, a branch or a call, seen from outside: the cost of one op."""

from __future__ import annotations

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
    kernels = tuple(
        _often(kernel, trips)
        for cost, trips in zip(costs.costs, graph.trips.tolist(), strict=True)
        for kernel in cost.kernels
    )
    held = zip(graph.nodes, memory.resident_bytes(graph, costs).tolist(), strict=True)
    resident = sum(size for node, size in held if node.op != "_Arg")
    none: Source = "roofline"
    source = max((cost.source for cost in costs.costs), key=SOURCES.index, default=none)
    return OpCost(kernels, min(_peak(graph, costs), LARGEST), 0, min(resident, LARGEST), source)


def _often(kernel: Kernel, trips: int) -> Kernel:
    """As many runs of it."""
    if trips == 1:
        return kernel
    return kernel._replace(
        flops=kernel.flops * trips,
        bytes_read=kernel.bytes_read * trips,
        bytes_written=kernel.bytes_written * trips,
        launches=kernel.launches * trips,
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
