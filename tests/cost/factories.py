"""Ops and small graphs for the tests of costs."""

from collections.abc import Sequence

from pardnn.cost.op import Op
from pardnn.cost.tensor import Tensor, tensor
from pardnn.graph.build import build
from pardnn.graph.opgraph import OpGraph
from pardnn.graph.raw import AttrValue, DType, RawGraph, RawNode, Shape, Source

FLOAT, INT32, HALF, RESOURCE = DType(1), DType(3), DType(19), DType(20)


def value(*dims: int, dtype: DType = FLOAT) -> Tensor:
    return tensor(dtype, Shape(dims))


def make_op(kind: str, inputs: Sequence[Tensor], *outputs: Tensor, **attrs: AttrValue) -> Op:
    return Op(kind, attrs, tuple(inputs), outputs)


def make_graph(*nodes: RawNode) -> OpGraph:
    return build(RawGraph(nodes, (), Source("drawn", "GraphDef", True, False, "")))


def node(name: str, op: str, inputs: str = "", *shapes: tuple[int, ...] | None, **attrs: AttrValue) -> RawNode:
    """A float op; `inputs` separated by blanks."""
    given: dict[str, AttrValue] = {"T": FLOAT, "dtype": FLOAT, "_output_shapes": tuple(map(Shape, shapes)), **attrs}
    return RawNode(name, op, tuple(inputs.split()), "", given)
