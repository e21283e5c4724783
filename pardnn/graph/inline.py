"""Calls of library functions replaced by the functions' bodies, as TensorFlow does when it runs a graph.

    x ──> call ──> y        x ──> call/a ──> call/b ──> y
          (f: a, b)               call (runs nothing)

An op of the body is called as TensorFlow calls it then, "call/op". The call itself stays, as an op that runs nothing:
its device in the file is the one that ops of the body without a device get, and whoever waits for the call waits for
it. Where the body belongs to this call alone, its ops can have devices of their own (`homes`); else the body is a unit
with the call. So it is for ops that are a function's name themselves: TensorFlow runs all of these on one device.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from pardnn.graph.branches import PART_OF
from pardnn.graph.callgraph import CallGraph
from pardnn.graph.raw import AttrValue, RawNode
from pardnn.graph.scope import Scope

MAIN = -1
"""The caller of an op that stands in the graph itself."""
FREE = -1
"""The unit of an op that need not share its device with a call."""


@dataclass(frozen=True, eq=False)
class Inlined:
    """A graph's ops with those of the bodies, each body in front of its call."""

    nodes: tuple[RawNode, ...]
    caller: NDArray[np.int32]
    """[n] the call whose body the op is from, a larger number than the op's; MAIN = none."""
    unit: NDArray[np.int32]
    """[n] the call whose device the op gets in any case; FREE = none, the op can have its own."""
    strict: NDArray[np.bool_]
    """[n] the op runs with its unit even where it has no kernel for that device: a call by the function's name."""
    homes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """(function, node) in the library where the device of an op from a body stands, for those that can have one."""


def inline(nodes: Sequence[RawNode], calls: CallGraph, awaited: Collection[str] = (), branches: bool = True) -> Inlined:
    """The graph with the bodies of all calls that are inlined; near-linear in the result.

    `awaited`: ops that someone waits for whom the graph does not show. `branches`: take branching ops apart too, as
    TensorFlow does. Raises InputError for a call of which a result is used that its function does not give.
    """
    if branches:
        nodes = tuple(calls.flat(nodes))
    if all(calls.inlinable(node) is None for node in nodes):
        alone = np.full(len(nodes), -1, np.int32)
        return Inlined(tuple(nodes), alone, alone, alone >= 0)
    rows = list(_laid_out(nodes, calls, branches))
    scopes = [scope for scope, node in rows if node is None]
    number = {id(scope): v for v, (scope, node) in enumerate(rows) if node is None}
    for scope in reversed(scopes):  # the outer before the inner
        scope.open(awaited)
    column = np.full((2, len(rows)), -1, np.int32)
    homes = {}
    for v, (scope, node) in enumerate(rows):
        stands = scope.outer if node is None else scope  # where the op itself stands
        assert stands is not None
        column[0, v] = number.get(id(stands), MAIN)
        column[1, v] = FREE if scope.unit is None else number[id(scope.unit)]
        written = node if node is not None else scope.call
        assert written is not None
        if stands.function is not None and stands.unit is None and PART_OF not in written.attrs:
            homes[stands.spell(written.name)] = (stands.function.name, written.name)
    strict = np.fromiter((scope.by_name for scope, _ in rows), bool, len(rows))
    made = tuple(scope.closed() if node is None else _moved(node, scope) for scope, node in rows)
    return Inlined(made, column[0], column[1], strict, homes)


def _laid_out(nodes: Sequence[RawNode], calls: CallGraph, branches: bool) -> Iterator[tuple[Scope, RawNode | None]]:
    """All ops with the scope they stand in, in order; for an inlined call its body, then (the body's scope, None)."""
    main = Scope(taken={node.name for node in nodes})
    todo = [(main, iter(nodes))]
    while todo:
        scope, rest = todo[-1]
        for node in rest:
            function = calls.inlinable(node)
            scope.note(node)
            if function is not None:
                inner = scope.enter(node, function, own=calls.once(node, function))
                todo.append((inner, calls.flat(function.nodes) if branches else iter(function.nodes)))
                break
            yield scope, node
        else:
            todo.pop()
            if scope.outer is not None:
                yield scope, None


def _moved(node: RawNode, scope: Scope) -> RawNode:
    """The op in its place in the whole graph."""
    inputs = scope.inputs(node)
    if scope.outer is None:
        return node if inputs == node.inputs else replace(node, inputs=inputs)
    device = node.device if node.device and scope.unit is None else scope.device
    return RawNode(scope.spell(node.name), node.op, inputs, device, _attrs(node.attrs, scope))


def _attrs(attrs: Mapping[str, AttrValue], scope: Scope) -> Mapping[str, AttrValue]:
    """Attributes in which names of the body stand get its names in the whole graph."""
    changed: dict[str, AttrValue] = {}
    classes, frame = attrs.get("_class"), attrs.get("frame_name")
    if isinstance(classes, tuple):
        names = (c[5:].decode(errors="replace") for c in classes if isinstance(c, bytes) and c.startswith(b"loc:@"))
        changed["_class"] = tuple(b"loc:@" + scope.spell(name).encode() for name in names if scope.holds(name))
    if isinstance(frame, bytes):
        changed["frame_name"] = scope.name.encode() + b"/" + frame
    return {**attrs, **changed} if changed else attrs
