"""The rows of a table of costs for the ops of a graph: by name, and what a runtime takes apart or puts together.

* A loop, a branch or a call is one op here; what ran of its body stands in rows named "op/...", which are added up.
* A model that was made again has other numbers in its names: where a trace has as many rows of a name as the graph has
  ops, but for numbers, they go together in the order of these.
* A fused kernel does the work of several ops under the name of one. Those that have no row of their own share its time
  as the roofline shares it out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pardnn.cost.graph import GraphCosts
from pardnn.cost.names import bare, renumbered
from pardnn.cost.roofline import LONGEST_NS
from pardnn.cost.table import CostTable, Row
from pardnn.graph.library import CALLERS
from pardnn.graph.opgraph import OpGraph

_FUSED = re.compile(r"_Fused|_Mkl\w*(Fused|With)|Fused\w+")
_PARTS = frozenset({
    "Conv2D", "Conv3D", "DepthwiseConv2dNative", "MatMul", "BatchMatMulV2", "BiasAdd", "Add", "AddV2", "Relu", "Relu6",
    "Elu", "LeakyRelu", "Tanh", "Sigmoid", "FusedBatchNormV3",
})  # fmt: skip
"""What kernels for several ops are made of, the last of which gives its name."""
_GRADIENT = "BiasAddGrad"
"""It takes what the gradient of the product takes, and is merged with it."""


@dataclass(frozen=True, eq=False)
class Matched:
    """[n] what a table says of each op, in the time of one run as the graph counts runs."""

    rows: tuple[Row | None, ...]
    known: NDArray[np.bool_]
    """A time is known."""
    renumbered: int
    """Ops whose row has the same name but for numbers."""
    fused: int
    """Ops that had no row of their own, but a share in a fused kernel's."""
    strangers: int
    """Rows that name no op."""


def match(table: CostTable, graph: OpGraph, costs: GraphCosts, predicted: NDArray[np.int64]) -> Matched:
    """What the table says of each op. `predicted` [n] are the roofline's times. O(nodes + edges + rows).

    Raises InputError where several rows would do for an op.
    """
    again = renumbered(graph.names, (name for name, row in table.rows.items() if row.runs is not None))
    names = [again[op] if op in again else table.find(op) for op in graph.names]
    rest = table.rows.keys() - {name for name in names if name is not None}
    rows = [
        None if name is None else _per_run(table.rows[name], trips)
        for name, trips in zip(names, graph.trips.tolist(), strict=True)
    ]
    strangers = len(rest)
    inside: dict[int, float] = {}
    for v, name in _inner(rest, graph):
        row = table.rows[name]
        strangers -= 1
        inside[v] = inside.get(v, 0.0) + (row.time_ns or 0) * (1.0 if row.runs is None else row.runs)
    for v, total in inside.items():
        own = rows[v]
        time = total / int(graph.trips[v]) + (own.time_ns or 0 if own else 0)
        rows[v] = Row(table.path, _whole(time), None, None, None, runs=1.0)
    fused = sum(_share(rows, group, predicted) for group in _groups(graph, costs, rows))
    known = np.fromiter((row is not None and row.time_ns is not None for row in rows), np.bool_, len(rows))
    moved = sum(op != name for op, name in again.items())
    return Matched(tuple(rows), known, moved, fused, strangers)


def _per_run(row: Row, trips: int) -> Row:
    """The row with its time spread over the runs that the graph counts; sizes of a loop's op are not of one run."""
    if row.runs is None or row.time_ns is None:
        return row
    time = _whole(row.time_ns * row.runs / trips)
    return replace(row, time_ns=time) if trips == 1 else replace(row, time_ns=time, output_bytes=None, temp_bytes=None)


def _whole(time_ns: float) -> int:
    return round(min(time_ns, float(LONGEST_NS)))


def _inner(rest: set[str], graph: OpGraph) -> Iterator[tuple[int, str]]:
    """(op, row) for the rows of what ran inside an op, the innermost one that the graph has."""
    callers = {node.name: v for v, node in enumerate(graph.nodes) if v in graph.bodies or node.op in CALLERS}
    forms = {bare(name) for name in callers}
    outer = {name: found for name in sorted(rest) if (found := _outer(name, callers, forms)) is not None}
    around = {name: name for name in callers} | {
        name: op for op, name in renumbered(callers, set(outer.values())).items()
    }
    yield from ((callers[around[name]], row) for row, name in outer.items() if name in around)


def _outer(name: str, callers: Mapping[str, int], forms: Set[str]) -> str | None:
    """The innermost name around a row's that a caller has, if need be with other numbers."""
    while "/" in name:
        name = name.rpartition("/")[0]
        if name in callers or bare(name) in forms:
            return name
    return None


def _groups(graph: OpGraph, costs: GraphCosts, rows: Sequence[Row | None]) -> Iterator[list[int]]:
    """The ops of each fused kernel, the one with the row first."""
    dag = graph.dag
    for v, row in enumerate(rows):
        if row is None or not _FUSED.search(row.op_type) or row.op_type == graph.nodes[v].op:
            continue
        group = [v]
        for u in group:  # grows while it is walked
            for producer, _ in costs.arguments[u]:
                if producer >= 0 and rows[producer] is None and graph.nodes[producer].op in _PARTS:
                    group.append(producer)
        for producer in (u for u, _ in costs.arguments[v] if u >= 0):
            readers = dag.dst[dag.out_edge[dag.out_ptr[producer] : dag.out_ptr[producer + 1]]].tolist()
            group += [u for u in readers if rows[u] is None and graph.nodes[u].op == _GRADIENT]
        yield list(dict.fromkeys(group))


def _share(rows: list[Row | None], group: Sequence[int], predicted: NDArray[np.int64]) -> int:
    """Share the first op's time with the others of its group; how many there are."""
    row = rows[group[0]]
    if row is None or row.time_ns is None or len(group) == 1:
        return 0
    weights = np.maximum(predicted[list(group)], 1).astype(np.float64)
    times = np.rint(row.time_ns * weights / weights.sum()).astype(np.int64)
    for v, time in zip(group, times.tolist(), strict=True):
        rows[v] = replace(row, time_ns=time) if v == group[0] else Row(row.place, time, None, None, None, runs=row.runs)
    return len(group) - 1
