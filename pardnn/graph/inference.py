"""One pass of shape rules over a graph, forward, and the hints that consumers give, backward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pardnn.graph.library import Body, Library
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


_DEEPEST = 16
"""Calls within calls are followed so far: functions may call themselves."""


def _stated(node: RawNode, outputs: int) -> list[Dims]:
    """What the file says of the node's outputs."""
    listed = node.attrs.get("_output_shapes", ())
    found = [item.dims for item in listed if isinstance(item, Shape)] if isinstance(listed, tuple) else []
    return found[:outputs] + [None] * (outputs - len(found))


def is_open(shapes: Sequence[Dims]) -> bool:
    """Whether anything is unknown."""
    return any(dims is None or UNKNOWN in dims for dims in shapes)


class Inference:
    """What is known of each (node, port) so far."""

    def __init__(
        self,
        wiring: Wiring,
        nodes: Sequence[int],
        dtypes: Sequence[Sequence[DType]],
        batch_size: int | None,
        known: Mapping[str, Sequence[Dims]],
        calls: Calls,
    ) -> None:
        self.wiring = wiring
        self.calls = calls
        self.batch_size = batch_size
        self.batched = False
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

    def feed(self, v: int, dims: Dims, value: Value | None, referent: Held | None) -> None:
        """Say what an argument is."""
        self.stated[v] = [dims]
        if value is not None:
            self.values[v, 0] = value
        if referent is not None:
            self.held[v] = referent

    def forward(self, order: Sequence[int]) -> None:
        """Settle each node after what it consumes; over a back edge comes what the pass before knew."""
        for v in order:
            node = self.wiring.nodes[v]
            dims = list(self.stated[v])
            rule = SHAPE_RULES.get(node.op)
            numbers = VALUE_RULES.get(node.op) if self.counts[v] else None
            if not (numbers or node.op in HANDLE_RULES or node.op in _PASSES or is_open(dims)):
                self.shapes[v] = dims
                continue
            call = self._call(v, node)
            if rule is not None:
                self._refine(dims, rule(call))
            else:
                self._refine(dims, self.calls.results(node, call))
                self._refine(dims, self.opaque[v])
            if v in self.hinted:
                self._refine(dims, self.hinted[v])
            if self.batch_size is not None and (node.op in FED or (rule is None and self._follows_batch(v))):
                self.batched |= any(d and d[0] == UNKNOWN for d in dims)
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
                if port < len(self.shapes[u]) and is_open(self.shapes[u][port : port + 1]):
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


class Calls:
    """Shapes of what calls return, by inference through the body; each body once for each set of argument shapes."""

    def __init__(self, library: Library, depth: int = 0) -> None:
        self.library = library
        self.depth = depth
        self.found: dict[tuple[int, tuple[Dims, ...]], list[Dims]] = {}

    def deeper(self) -> Calls:
        """The same for the calls within a body, what has been found included."""
        inner = Calls(self.library, self.depth + 1)
        inner.found = self.found
        return inner

    def results(self, node: RawNode, call: Call) -> list[Dims]:
        """What the call of a library function returns; nothing for any other op."""
        body = self.library.called(node)
        if body is None or self.depth >= _DEEPEST:
            return []
        case = (id(body), tuple(call.shapes))
        if case not in self.found:
            self.found[case] = self._through(body, call)
        return self.found[case]

    def _through(self, body: Body, call: Call) -> list[Dims]:
        nodes: list[int] = body.order.tolist()
        work = Inference(body.wiring, nodes, body.dtypes, None, {}, self.deeper())
        for v in range(min(body.arguments, len(call.shapes))):
            work.feed(v, call.shapes[v], call.value(v), call.refers(v))
        work.forward(nodes)
        return [work.shapes[v][port] if port < len(work.shapes[v]) else None for v, port in body.results]
