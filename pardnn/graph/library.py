"""The functions of a graph's library, their bodies written as graphs are, so that calls can be followed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pardnn.errors import InputError
from pardnn.graph.kernels import facts
from pardnn.graph.loops import acyclic, forward_edges
from pardnn.graph.optypes import all_dtypes, count_of
from pardnn.graph.raw import AttrValue, DType, FunctionRef, RawFunction, RawNode
from pardnn.graph.wiring import MOST_OUTPUTS, Wiring, port_number, split_input, wire

LOOPS = frozenset({"While", "StatelessWhile"})
BRANCHING = frozenset({"If", "StatelessIf", "Case", "StatelessCase"})
PARTITIONED = frozenset({"PartitionedCall", "StatefulPartitionedCall"})
"""Calls whose body TensorFlow places op by op."""
CALLERS = LOOPS | BRANCHING | PARTITIONED
"""Ops that run functions of the library, and can have devices in them."""


@dataclass(frozen=True, eq=False)
class Function:
    """A library function whose ops name their inputs as a graph's do, "node:port"; its arguments stand as nodes.

    `results` are in the order in which callers number them; `awaited` are the ops that a caller waits for besides.
    """

    name: str
    arguments: tuple[str, ...]
    nodes: tuple[RawNode, ...]
    results: tuple[str, ...]
    awaited: tuple[str, ...]
    attrs: Mapping[str, AttrValue]


@dataclass(frozen=True, eq=False)
class Body:
    """A function's ops behind its arguments, which are the first nodes; and which (node, port) each result is."""

    wiring: Wiring
    order: NDArray[np.int32]
    dtypes: tuple[tuple[DType, ...], ...]
    arguments: int
    results: tuple[tuple[int, int], ...]


class Library:
    """The functions of a graph by name; each is taken apart when it is first asked for."""

    def __init__(self, functions: Sequence[RawFunction]) -> None:
        self._raw = {function.name: function for function in functions}
        self._functions: dict[str, Function | None] = {}
        self._bodies: dict[str, Body | None] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._raw

    def function(self, name: str) -> Function | None:
        """The function of that name; None if there is none or its body is broken, an error only where it is called."""
        if name not in self._functions:
            raw = self._raw.get(name)
            self._functions[name] = None if raw is None else self._read(raw)
        return self._functions[name]

    def target(self, node: RawNode) -> str | None:
        """The function a node calls once: PartitionedCall and its like, or an op that is itself a function's name."""
        value = node.attrs.get("f") if "PartitionedCall" in node.op else None
        name = value.name if isinstance(value, FunctionRef) else node.op
        return name if name in self._raw else None

    def references(self, node: RawNode) -> list[str]:
        """Every function that a node names, as its op or in an attribute, in the order of the attributes' names."""
        if not self._raw:
            return []
        values = [
            v for _, value in sorted(node.attrs.items()) for v in (value if isinstance(value, tuple) else (value,))
        ]
        names = [node.op, *(value.name for value in values if isinstance(value, FunctionRef))]
        return [name for name in names if name in self._raw]

    def called(self, node: RawNode) -> Body | None:
        """The body that a node runs once, wired."""
        name = self.target(node)
        if name is None:
            return None
        if name not in self._bodies:
            function = self.function(name)
            self._bodies[name] = None if function is None else _wired(function)
        return self._bodies[name]

    def _read(self, raw: RawFunction) -> Function | None:
        ops = {node.name: node for node in raw.nodes}
        names = ops.keys() | set(raw.arguments)
        nodes = tuple(replace(n, inputs=tuple(self._plain(text, ops) for text in n.inputs)) for n in raw.nodes)
        order = _outputs(raw)
        if not set(order) <= raw.results.keys():
            return None
        results = tuple(self._plain(raw.results[name], ops) for name in order)
        ends = [split_input(text)[0] for node in nodes for text in node.inputs] + [split_input(r)[0] for r in results]
        if len(ops) < len(nodes) or not names.issuperset(ends) or not names.issuperset(raw.awaited):
            return None
        if any(split_input(text)[1] >= MOST_OUTPUTS for text in results):
            return None
        return Function(raw.name, raw.arguments, nodes, results, raw.awaited or _with_effects(nodes), raw.attrs)

    def _plain(self, text: str, ops: Mapping[str, RawNode]) -> str:
        """An input of a body, "node:output:number", as outside of one, "node:port"."""
        if text.startswith("^"):
            return text
        name, *rest = text.split(":")
        number = port_number(rest[-1]) if rest and rest[-1].isdecimal() else 0
        node = ops.get(name)
        if node is None or len(rest) < 2:
            return f"{name}:{number}"  # an argument
        return f"{name}:{self._first_port(node, rest[0]) + number}"

    def _first_port(self, node: RawNode, output: str) -> int:
        """The port at which the named output of an op begins."""
        known = facts(node.op)
        if known is None:
            function = self._raw.get(node.op)
            names = _outputs(function) if function is not None else ()
            return names.index(output) if output in names else 0
        port = 0
        for argument in known.outputs:
            if argument.name == output:
                return port
            port += count_of(argument, node, known.types)
        return 0  # the only output has no name in the table


def _outputs(function: RawFunction) -> tuple[str, ...]:
    """The results in the caller's order, as far as it is known: a file keeps the results themselves in any order."""
    if function.outputs or len(function.results) != 1:
        return function.outputs
    return tuple(function.results)


def _with_effects(nodes: Sequence[RawNode]) -> tuple[str, ...]:
    """What runs for its effect: before signatures said it, every stateful op did."""
    known = ((node.name, facts(node.op)) for node in nodes)
    return tuple(name for name, fact in known if fact is None or fact.stateful)


def _wired(function: Function) -> Body | None:
    """The function as a graph; None for one that cannot run."""
    try:
        wiring = wire([*(RawNode(name, "_Arg") for name in function.arguments), *function.nodes])
        order = acyclic(wiring, forward_edges(wiring)).order
    except InputError:
        return None
    ends = (split_input(text) for text in function.results)
    results = tuple((wiring.index[name], port) for name, port in ends)
    return Body(wiring, order, all_dtypes(wiring, results), len(function.arguments), results)
