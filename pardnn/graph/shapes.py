"""The shape of every output: as the file says, and by rules where it is silent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.graph.loops import ENTER, EXIT, MERGE, NEXT
from pardnn.graph.raw import DType, RawNode, Shape
from pardnn.graph.shape_rules import HANDLE_RULES, SHAPE_RULES, VALUE_RULES, Call, Held, hints
from pardnn.graph.shape_rules.dims import UNKNOWN, Dims, Value, refined
from pardnn.graph.wiring import Wiring

_PASSES = ENTER | EXIT | MERGE | NEXT | {"Identity", "RefIdentity", "Switch", "RefSwitch"}
FED = frozenset(
    """Placeholder PlaceholderV2 PlaceholderWithDefault _Arg Arg Unstage
    IteratorGetNext IteratorGetNextSync OptionalGetValue QueueDequeue QueueDequeueV2
    QueueDequeueMany QueueDequeueManyV2 QueueDequeueUpTo QueueDequeueUpToV2""".split()  # noqa: SIM905  # reads better
)
"""Where a training step's input comes in: an unknown leading dimension here is the batch."""
_OPAQUE = frozenset({DType(20), DType(21)})
"""Handles and variants (lists, data sets): one each, unless a rule says otherwise."""
_WHOLE = frozenset({DType(3), DType(9)})
"""int32 and int64: the types of shapes."""


@dataclass(frozen=True)
class Inferred:
    """[n] the shapes of each node's outputs, and the numbers in small integer tensors by (node, port).

    A node that was not asked for has no shapes.
    """

    shapes: tuple[tuple[Shape, ...], ...]
    values: Mapping[tuple[int, int], Value]

    @property
    def complete(self) -> bool:
        """Whether every rank and dimension is known."""
        return all(shape.known for shapes in self.shapes for shape in shapes)


def find_shapes(
    wiring: Wiring,
    order: NDArray[np.int32],
    dtypes: Sequence[Sequence[DType]],
    batch_size: int | None = None,
    known: Mapping[str, Sequence[Dims]] | None = None,
) -> Inferred:
    """Shapes by rules of the nodes in `order`, topological but for back edges; linear in their inputs. Others get none.

    What the file states stands (`_output_shapes`), then what is `known` from elsewhere, by op name; rules fill the
    gaps. With a batch size, an unknown leading dimension of what is fed is that size, and whatever follows from it.
    Where gaps remain, consumers tell producers what they know, and a second pass adds what follows, back edges and
    lists included.
    """
    nodes: list[int] = order.tolist()
    work = _Inference(wiring, nodes, dtypes, batch_size, known or {})
    work.forward(nodes)
    if any(_open(work.shapes[v]) for v in nodes):
        work.backward(nodes)
        work.forward(nodes)
    cache: dict[Dims, Shape] = {}
    shapes = tuple(
        tuple(cache[d] if d in cache else cache.setdefault(d, Shape(d)) for d in dims) for dims in work.shapes
    )
    return Inferred(shapes, work.values)


def _stated(node: RawNode, outputs: int) -> list[Dims]:
    """What the file says of the node's outputs."""
    listed = node.attrs.get("_output_shapes", ())
    found = [item.dims for item in listed if isinstance(item, Shape)] if isinstance(listed, tuple) else []
    return found[:outputs] + [None] * (outputs - len(found))


def _open(shapes: Sequence[Dims]) -> bool:
    """Whether anything is unknown."""
    return any(dims is None or UNKNOWN in dims for dims in shapes)


class _Inference:
    """What is known of each (node, port) so far."""

    def __init__(
        self,
        wiring: Wiring,
        nodes: Sequence[int],
        dtypes: Sequence[Sequence[DType]],
        batch_size: int | None,
        known: Mapping[str, Sequence[Dims]],
    ) -> None:
        self.wiring = wiring
        self.batch_size = batch_size
        self.stated: list[list[Dims]] = [[]] * wiring.n
        for v in nodes:
            self.stated[v] = _stated(wiring.nodes[v], len(dtypes[v]))
        self.counts = [len(types) > 0 and types[0] in _WHOLE for types in dtypes]
        self.opaque: list[list[Dims]] = [[() if t in _OPAQUE else None for t in types] for types in dtypes]
        for name, shapes in known.items():
            self._refine(self.stated[wiring.index[name]], shapes)
        self.hinted: dict[int, list[Dims]] = {}
        self.shapes: list[list[Dims]] = [[]] * wiring.n
        self.values: dict[tuple[int, int], Value] = {}
        self.held: dict[int, Held] = {}

    def forward(self, order: Sequence[int]) -> None:
        """Settle each node after what it consumes; over a back edge comes what the pass before knew."""
        for v in order:
            node = self.wiring.nodes[v]
            dims = list(self.stated[v])
            rule = SHAPE_RULES.get(node.op)
            numbers = VALUE_RULES.get(node.op) if self.counts[v] else None
            if not (numbers or node.op in HANDLE_RULES or node.op in _PASSES or _open(dims)):
                self.shapes[v] = dims
                continue
            call = self._call(v, node)
            self._refine(dims, rule(call) if rule is not None else self.opaque[v])
            if v in self.hinted:
                self._refine(dims, self.hinted[v])
            if self.batch_size is not None and (node.op in FED or (rule is None and self._follows_batch(v))):
                dims = [(self.batch_size, *d[1:]) if d and d[0] == UNKNOWN else d for d in dims]
            self.shapes[v] = call.results = dims
            self._refer(v, node, call)
            if numbers is not None:
                found = ((port, value) for port, value in enumerate(numbers(call)) if value is not None)
                self.values.update(((v, port), value) for port, value in found)

    def backward(self, order: Sequence[int]) -> None:
        """Note for each open output what consumers of the same shape know of it."""
        for v in reversed(order):
            mine = self.hinted.get(v, self.shapes[v])
            ends = self.wiring.inputs[v]
            for i in hints(self.wiring.nodes[v].op, len(ends)) if mine and mine[0] is not None else ():
                u, port = ends[i]
                if port < len(self.shapes[u]) and _open(self.shapes[u][port : port + 1]):
                    noted = self.hinted.setdefault(u, list(self.shapes[u]))
                    noted[port] = refined(noted[port], mine[0])

    def _call(self, v: int, node: RawNode) -> Call:
        ends, shapes = self.wiring.inputs[v], self.shapes
        return Call(
            node.op,
            node.attrs,
            [shapes[u][port] if port < len(shapes[u]) else None for u, port in ends],
            [self.values.get(end) for end in ends],
            [self.held.get(u) for u, _ in ends],
            len(self.stated[v]),
        )

    def _refer(self, v: int, node: RawNode, call: Call) -> None:
        """Keep what the node's handle refers to; what was learned of it in the pass before is not forgotten."""
        if call.creates is not None:
            before = self.held.setdefault(v, call.creates)
            if before is not call.creates:
                self._refine(before.shapes, call.creates.shapes)
        elif node.op in _PASSES:
            referent = call.refers(0)
            if referent is not None:
                self.held[v] = referent

    def _follows_batch(self, v: int) -> bool:
        """Whether an input's unknown leading dimension has turned out to be the batch."""
        for u, port in self.wiring.inputs[v]:
            before, now = (shapes[u][port : port + 1] for shapes in (self.stated, self.shapes))
            if before and before[0] and before[0][0] == UNKNOWN and now[0] and now[0][0] == self.batch_size:
                return True
        return False

    @staticmethod
    def _refine(dims: list[Dims], more: Sequence[Dims]) -> None:
        """Fill the gaps of `dims` in place."""
        for i, found in enumerate(more[: len(dims)]):
            dims[i] = refined(dims[i], found)
