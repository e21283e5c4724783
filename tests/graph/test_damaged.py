import random
from dataclasses import replace

import pytest

from pardnn.errors import PardnnError
from pardnn.graph.build import build
from pardnn.graph.raw import AttrValue, DType, FunctionRef, RawNode, Shape, TensorInfo
from tests.graph.drawn import draw
from tests.graph.test_library import TOP
from tests.graph.test_loops import COUNT
from tests.graph.test_prune import STEP

DRAWINGS = (
    COUNT,
    STEP,
    TOP + "y = Conv2D(x, x) T=float strides=1;1;1;1 padding='SAME'\nz = Split(last, y) T=float num_split=2",
)
VALUES: tuple[AttrValue, ...] = (
    *(0, -1, 1 << 40, -(1 << 62), True, 1.5, float("nan"), b"\xff", DType(20), DType(999), DType(-3)),
    *(Shape(None), Shape(()), Shape((-1, 3)), Shape((1 << 62, 1 << 62)), (), (1, 2, 3), (b"loc:@\xff", 1)),
    *(TensorInfo(DType(3), Shape((2,)), (5, -6)), TensorInfo(DType(3), Shape(()), ()), FunctionRef("none")),
)


def damaged(node: RawNode, nodes: list[RawNode], rng: random.Random) -> RawNode:
    attrs, inputs = dict(node.attrs), list(node.inputs)
    attrs[rng.choice([*attrs, "N", "axis", "T", "_class", "_output_shapes"])] = rng.choice(VALUES)
    other = rng.choice(nodes)
    if inputs:
        inputs[rng.randrange(len(inputs))] = rng.choice([other.name, f"{other.name}:{rng.choice([1, 900, 1 << 33])}"])
    op = rng.choice([node.op, node.op, other.op])
    return replace(node, op=op, attrs=attrs, inputs=tuple(rng.choice([node.inputs, node.inputs[1:], tuple(inputs)])))


@pytest.mark.parametrize("text", DRAWINGS)
def test_a_damaged_graph_is_built_or_refused_in_one_line(text: str) -> None:
    rng = random.Random(5)
    raw = draw(text)
    built = 0
    refused: list[str] = []
    for _ in range(300):
        nodes = list(raw.nodes)
        for i in rng.sample(range(len(nodes)), rng.randint(1, 4)):
            nodes[i] = damaged(nodes[i], nodes, rng)
        try:
            graph = build(replace(raw, nodes=tuple(nodes)), batch_size=rng.choice([None, 8]))
        except PardnnError as error:
            refused.append(str(error))
        else:
            assert len(graph.dag.order) + len(graph.unplaced) == len(nodes)
            built += 1
    assert built > 30
    assert len(refused) > 10
    assert not any("\n" in message for message in refused)
