"""Bodies of library functions as graphs, so that what goes into a call tells what comes out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pardnn.errors import InputError
from pardnn.graph.kernels import facts
from pardnn.graph.loops import acyclic, forward_edges
from pardnn.graph.optypes import all_dtypes, count_of
from pardnn.graph.raw import DType, FunctionRef, RawFunction, RawNode
from pardnn.graph.wiring import Wiring, wire


@dataclass(frozen=True, eq=False)
class Body:
    """A function's ops behind its arguments, which are the first nodes; and which (node, port) each result is."""

    wiring: Wiring
    order: NDArray[np.int32]
    dtypes: tuple[tuple[DType, ...], ...]
    arguments: int
    results: tuple[tuple[int, int], ...]


class Library:
    """The functions of a graph by name; each body is wired when it is first called."""

    def __init__(self, functions: Sequence[RawFunction]) -> None:
        self._functions = {function.name: function for function in functions}
        self._bodies: dict[str, Body | None] = {}

    def called(self, node: RawNode) -> Body | None:
        """The body that a node runs once: of PartitionedCall and its like, or of an op that is itself a function."""
        target = node.attrs.get("f") if "PartitionedCall" in node.op else None
        name = target.name if isinstance(target, FunctionRef) else node.op
        if name not in self._functions:
            return None
        if name not in self._bodies:
            self._bodies[name] = self._body(self._functions[name])
        return self._bodies[name]

    def _body(self, function: RawFunction) -> Body | None:
        """The function as a graph; None for one that cannot run, which is an error only where it is called."""
        ops = {node.name: node for node in function.nodes}
        arguments = [RawNode(name, "_Arg") for name in function.arguments]
        inner = [replace(node, inputs=tuple(self._plain(text, ops) for text in node.inputs)) for node in function.nodes]
        try:
            wiring = wire([*arguments, *inner])
            ends = [self._plain(function.results[name], ops).rpartition(":") for name in _outputs(function)]
            results = tuple((wiring.index[name], int(port)) for name, _, port in ends)
            order = acyclic(wiring, forward_edges(wiring)).order
        except (InputError, KeyError):
            return None
        return Body(wiring, order, all_dtypes(wiring), len(arguments), results)

    def _plain(self, text: str, ops: dict[str, RawNode]) -> str:
        """An input of a body, "node:output:number", as outside of one, "node:port"."""
        if text.startswith("^"):
            return text
        name, *rest = text.split(":")
        number = int(rest[-1]) if rest and rest[-1].isdecimal() else 0
        node = ops.get(name)
        if node is None or len(rest) < 2:
            return f"{name}:{number}"  # an argument
        return f"{name}:{self._first_port(node, rest[0]) + number}"

    def _first_port(self, node: RawNode, output: str) -> int:
        """The port at which the named output of an op begins."""
        known = facts(node.op)
        if known is None:
            function = self._functions.get(node.op)
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
