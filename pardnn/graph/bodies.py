"""What stands inside an op that stays one: the bodies of loops, of branches, of calls that are not inlined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.errors import InputError
from pardnn.graph.callgraph import CallGraph
from pardnn.graph.inline import inline
from pardnn.graph.library import BRANCHING, LOOPS, PARTITIONED
from pardnn.graph.loops import acyclic, find_frames, forward_edges
from pardnn.graph.opgraph import Inner, OpGraph
from pardnn.graph.optypes import all_dtypes
from pardnn.graph.raw import DType, FunctionRef, RawNode
from pardnn.graph.shape_rules import Held
from pardnn.graph.shape_rules.dims import Dims, Value
from pardnn.graph.shapes import Fed, Inferred, find_shapes
from pardnn.graph.trips import ASSUMED, MOST, count_trips
from pardnn.graph.whiles import trips_of
from pardnn.graph.wiring import Wiring, split_input, wire

_DEEPEST = 16
"""Bodies in bodies are followed so far: functions may call themselves."""
_MOST_INSIDE = 200_000
"""Ops of all bodies together; beyond, ops count by what goes in and out."""
_SKIPPED = {
    **dict.fromkeys((*LOOPS, *PARTITIONED, "SymbolicGradient", "XlaLaunch"), 0),
    **dict.fromkeys((*BRANCHING, "RemoteCall"), 1),
}
"""Ops that run functions, and how many of their inputs stand before the functions' arguments."""


@dataclass(frozen=True, eq=False)
class Graph:
    """A graph as far as bodies depend on it."""

    wiring: Wiring
    order: NDArray[np.int32]
    dtypes: Sequence[Sequence[DType]]
    inferred: Inferred


class Bodies:
    """Makes bodies; each once for each kind of arguments."""

    def __init__(self, calls: CallGraph) -> None:
        self.calls = calls
        self.loops = self.assumed = 0
        """Functional loops met, and those among them whose turns had to be assumed."""
        self._made: dict[object, OpGraph] = {}
        self._nodes = 0

    def of(self, graph: Graph, depth: int = 0) -> tuple[dict[int, tuple[Inner, ...]], NDArray[np.int64]]:
        """(the bodies inside each op of the graph that has any, [n] turns of one run of each op: 1 but for loops)."""
        turns = np.ones(graph.wiring.n, np.int64)
        found: dict[int, tuple[Inner, ...]] = {}
        values = dict(graph.inferred.values)
        for v in graph.order.tolist():
            node = graph.wiring.nodes[v]
            names = self._functions(node)
            if not names:
                continue
            fed = self._arguments(graph, v, values)
            if node.op in LOOPS:
                turns[v], fed = self._loop(node, v, fed, values)
            made = ((name, self._body(name, fed, depth)) for name in names)
            found[v] = tuple(Inner(name, body, _SKIPPED.get(node.op, 0)) for name, body in made if body is not None)
        return {v: inner for v, inner in found.items() if inner}, turns

    def note(self) -> str | None:
        """One line on the functional loops of which the bound had to be assumed."""
        if not self.assumed:
            return None
        which = f"{self.assumed} of {self.loops} functional loops"
        return f"{which} have no constant bound and are taken to run {ASSUMED} times"

    def _functions(self, node: RawNode) -> list[str]:
        library = self.calls.library
        if node.op not in _SKIPPED and node.op not in library:
            return []
        return [name for name in dict.fromkeys(library.references(node)) if library.function(name) is not None]

    def _arguments(self, graph: Graph, v: int, values: Mapping[tuple[int, int], Value]) -> list[Fed]:
        """What the functions of an op are given."""
        fed = []
        for u, port in graph.wiring.inputs[v][_SKIPPED.get(graph.wiring.nodes[v].op, 0) :]:
            shapes, dtypes = graph.inferred.shapes[u], graph.dtypes[u]
            dims: Dims = shapes[port].dims if port < len(shapes) else None
            dtype = dtypes[port] if port < len(dtypes) else DType(0)
            fed.append(Fed(dtype, dims, values.get((u, port)), graph.inferred.held.get(u)))
        return fed

    def _loop(
        self, node: RawNode, v: int, fed: list[Fed], values: dict[tuple[int, int], Value]
    ) -> tuple[int, list[Fed]]:
        """(turns, what every turn is given); the loop's results are added to the known numbers."""
        library = self.calls.library
        cond, body = (library.function(_named(node, attr)) for attr in ("cond", "body"))
        given = [one.value for one in fed]
        trips, ends = trips_of(cond, body, given) if cond is not None and body is not None else (None, {})
        self.loops += 1
        self.assumed += trips is None
        values.update(((v, i), value) for i, value in ends.items())
        constant = {i for i, value in ends.items() if value == given[i]}
        each = [Fed(one.dtype, one.dims, one.value if i in constant else None, one.held) for i, one in enumerate(fed)]
        return min(max(ASSUMED if trips is None else trips, 1), MOST), each

    def _body(self, name: str, fed: Sequence[Fed], depth: int) -> OpGraph | None:
        function = self.calls.library.function(name)
        if function is None or depth >= _DEEPEST:
            return None
        fed = fed[: len(function.arguments)]
        key = (name, tuple((one.dtype, one.dims, one.value, _shapes(one.held)) for one in fed), depth)
        if key in self._made:
            return self._made[key]
        kinds: list[DType] = [one.dtype for one in fed] + [DType(0)] * (len(function.arguments) - len(fed))
        arguments = [RawNode(a, "_Arg", attrs={"T": kind}) for a, kind in zip(function.arguments, kinds, strict=True)]
        try:
            nodes = inline((*arguments, *function.nodes), self.calls, branches=False).nodes
            self._nodes += len(nodes)
            if self._nodes > _MOST_INSIDE:
                return None
            self._made[key] = self._analysed(nodes, function.results, fed, depth)
        except InputError:  # a body that cannot run is an error where it runs
            return None
        return self._made[key]

    def _analysed(self, nodes: tuple[RawNode, ...], results: Sequence[str], fed: Sequence[Fed], depth: int) -> OpGraph:
        """The ops of a body; nothing in it is pruned, and all of it runs where the op around it runs."""
        wiring = wire(nodes)
        forward = forward_edges(wiring)
        dag = acyclic(wiring, forward)
        ends = ((wiring.index[name], port) for name, port in map(split_input, results))
        dtypes = all_dtypes(wiring, list(ends))
        inferred = find_shapes(wiring, dag.order, dtypes, fed=dict(enumerate(fed)), library=self.calls.library)
        trips, _ = count_trips(wiring, find_frames(wiring, dag), inferred, np.ones(wiring.n, bool))
        bodies, turns = self.of(Graph(wiring, dag.order, dtypes, inferred), depth + 1)
        return OpGraph(
            dag=dag,
            nodes=nodes,
            edge_port=wiring.port[forward],
            output_shapes=inferred.shapes,
            output_dtypes=dtypes,
            group=np.zeros(wiring.n, np.int32),
            host=np.zeros(wiring.n, bool),
            trips=trips * turns,
            nodes_read=wiring.n,
            edges_read=len(wiring.src),
            bodies=bodies,
        )


def _named(node: RawNode, attr: str) -> str:
    """The function that an attribute names."""
    value = node.attrs.get(attr)
    return value.name if isinstance(value, FunctionRef) else ""


def _shapes(held: Held | None) -> tuple[Dims, ...] | None:
    return None if held is None else tuple(held.shapes)
