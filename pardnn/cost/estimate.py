"""Rules applied to a whole graph: what each op costs, and the tensors that flow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pardnn.cost.body import body_cost
from pardnn.cost.graph import GraphCosts
from pardnn.cost.memory import pushed_bytes
from pardnn.cost.op import Op
from pardnn.cost.record import OpCost
from pardnn.cost.rule import estimate
from pardnn.cost.tensor import UNKNOWN, Tensor, tensor
from pardnn.graph.opgraph import OpGraph
from pardnn.graph.wiring import split_input

_MISSING = (-1, -1)


def estimate_graph(graph: OpGraph, bodies: Mapping[str, OpCost] | None = None) -> GraphCosts:
    """The cost of one run of each op, by its rule; of an op that runs functions by the graph's `bodies` of them.

    `bodies` are costs of functions of which the graph has none. O(nodes + edges); some 10 us a node.
    """
    return _estimated(graph, bodies or {}, {})


def _estimated(graph: OpGraph, given: Mapping[str, OpCost], done: dict[int, tuple[GraphCosts, OpCost]]) -> GraphCosts:
    """The same; bodies that many ops run are estimated once."""
    outputs = _output_tensors(graph)
    arguments = _arguments(graph)
    for inner in (inner for all_of_op in graph.bodies.values() for inner in all_of_op):
        if id(inner.graph) not in done:
            costs = _estimated(inner.graph, given, done)
            done[id(inner.graph)] = costs, body_cost(inner.graph, costs)
    inside = {v: tuple(done[id(i.graph)][0] for i in inner) for v, inner in graph.bodies.items()}
    known = {v: {i.function: done[id(i.graph)][1] for i in inner} for v, inner in graph.bodies.items()}
    ops = tuple(
        Op(
            node.op, node.attrs, tuple(_value(outputs, u, p) for u, p in arguments[v]), outputs[v],
            {**given, **known[v]} if v in known else given,
        )
        for v, node in enumerate(graph.nodes)
    )  # fmt: skip
    costs = GraphCosts(ops, tuple(map(estimate, ops)), arguments, inside)
    return replace(costs, pushed=sum(pushed_bytes(graph, costs).tolist()))


def _output_tensors(graph: OpGraph) -> list[tuple[Tensor, ...]]:
    """Per op its outputs; many ops share a type and a shape, so each distinct one is made once."""
    made: dict[tuple[int, tuple[int, ...] | None], Tensor] = {}
    result = []
    for dtypes, shapes in zip(graph.output_dtypes, graph.output_shapes, strict=True):
        row = []
        for dtype, shape in zip(dtypes, shapes, strict=False):
            key = (int(dtype), shape.dims)
            value = made.get(key)
            if value is None:
                value = made[key] = tensor(dtype, shape)
            row.append(value)
        result.append(tuple(row))
    return result


def _arguments(graph: OpGraph) -> tuple[tuple[tuple[int, int], ...], ...]:
    """From the inputs as written, not from the edges: those lack repeats, pruned ops and the back edges of loops."""
    index = {node.name: v for v, node in enumerate(graph.nodes)}
    parsed: dict[str, tuple[int, int]] = {}
    result = []
    for node in graph.nodes:
        row = []
        for text in node.inputs:
            end = parsed.get(text)
            if end is None:
                name, port = split_input(text)
                end = parsed[text] = (index[name], port) if name in index else _MISSING
            if text[:1] != "^":
                row.append(end)
        result.append(tuple(row))
    return tuple(result)


def _value(outputs: list[tuple[Tensor, ...]], producer: int, port: int) -> Tensor:
    return outputs[producer][port] if producer >= 0 and port < len(outputs[producer]) else UNKNOWN
