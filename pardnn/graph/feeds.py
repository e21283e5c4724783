"""What may be fed to a placeholder: whole numbers that index a table must lie within it.

Followed is where a placeholder's values go, through ops that hand them on, to the ops that look something up by them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pardnn.graph.library import LOOPS
from pardnn.graph.opgraph import OpGraph
from pardnn.graph.raw import DType, Shape, TensorInfo
from pardnn.graph.wiring import CONTROL, split_input

Readers = Mapping[str, Sequence[tuple[int, int]]]
"""By an op's name (op, position among its inputs) of all that take a result of it."""
_FED = frozenset({"Placeholder", "PlaceholderV2"})
_INTEGERS = frozenset({3, 4, 5, 6, 9, 17, 22, 23})
_SAME = frozenset({
    "Identity", "IdentityN", "Reshape", "Squeeze", "ExpandDims", "Cast", "StopGradient", "Transpose", "Snapshot",
    "EnsureShape", "Unpack", "Split", "SplitV", "StridedSlice", "Pack", "ConcatV2", "SelectV2", "Select", "Maximum",
    "Minimum", "PlaceholderWithDefault",
})  # fmt: skip
"""Ops whose result is made of the values of their inputs."""
_TABLE = {"ResourceGather": 1, "Gather": 1, "GatherV2": 1, "SparseSoftmaxCrossEntropyWithLogits": 1, "OneHot": 0}
"""Ops that look something up, and which of their inputs says where."""
_SIZES = {
    "Range": 0, "Fill": 0, "Tile": 1, "BroadcastTo": 1, "TopKV2": 1, "SequenceMask": 0, "ReverseSequence": 1,
    "Enter": 0,
}  # fmt: skip
"""Ops whose work depends on the value of a number, and which of their inputs that is; of a loop any may be it."""


@dataclass(frozen=True)
class Feed:
    """A placeholder of a step."""

    name: str
    dtype: DType
    shape: Shape
    below: int | None
    """Its values are looked up in something of that size; None = in nothing."""
    decides: str | None
    """An op whose work depends on its values in a way that cannot be seen; None = there is none."""

    @property
    def whole(self) -> bool:
        """Whether its values are whole numbers."""
        return int(self.dtype) in _INTEGERS


def feeds(graph: OpGraph) -> tuple[Feed, ...]:
    """The placeholders of a step, in the order of the graph. O(placeholders * edges)."""
    index = {node.name: v for v, node in enumerate(graph.nodes)}
    readers: dict[str, list[tuple[int, int]]] = {}
    for v, node in enumerate(graph.nodes):
        for position, text in enumerate(node.inputs):
            name, port = split_input(text)
            if port != CONTROL:
                readers.setdefault(name, []).append((v, position))
    return tuple(_feed(graph, v, readers, index) for v, node in enumerate(graph.nodes) if node.op in _FED)


def _feed(graph: OpGraph, v: int, readers: Readers, index: Mapping[str, int]) -> Feed:
    node = graph.nodes[v]
    sizes: list[int] = []
    decides = None
    for reader, position in _followed(graph, v, readers):
        op = graph.nodes[reader].op
        if _TABLE.get(op) == position:
            sizes += [size] if (size := _size(graph, reader, index)) else []
        elif op in LOOPS or _SIZES.get(op) == position:
            decides = decides or graph.nodes[reader].name
    dtype = graph.output_dtypes[v][0] if graph.output_dtypes[v] else DType(1)
    shape = graph.output_shapes[v][0] if graph.output_shapes[v] else Shape(None)
    return Feed(node.name, dtype, shape, min(sizes, default=None), decides)


def _followed(graph: OpGraph, v: int, readers: Readers) -> Iterator[tuple[int, int]]:
    """(op, position among its inputs) wherever a placeholder's values arrive as they are."""
    todo, seen = [v], {v}
    for u in todo:  # grows while it is walked
        for reader, position in readers.get(graph.nodes[u].name, ()):
            yield reader, position
            if graph.nodes[reader].op in _SAME and reader not in seen:
                seen.add(reader)
                todo.append(reader)


def _size(graph: OpGraph, v: int, index: Mapping[str, int]) -> int | None:
    """How many there are to choose from."""
    node = graph.nodes[v]
    if node.op == "OneHot":
        value = _node_attr(graph, index.get(split_input(node.inputs[1])[0]), "value")
        return int(value.values[0]) if isinstance(value, TensorInfo) and value.values else None
    source, port = split_input(node.inputs[0])
    if source not in index:
        return None
    u = index[source]
    declared = _node_attr(graph, u, "shape")
    shapes = graph.output_shapes[u]
    shape = declared if isinstance(declared, Shape) else shapes[port] if port < len(shapes) else Shape(None)
    if not shape.dims:
        return None
    size = shape.dims[-1 if node.op.startswith("Sparse") else 0]
    return size if size > 0 else None


def _node_attr(graph: OpGraph, v: int | None, name: str) -> object:
    return None if v is None else graph.nodes[v].attrs.get(name)
