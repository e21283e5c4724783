"""The batch size goes through the whole graph, from whatever feeds it to the gradients and back."""

from __future__ import annotations

import pytest

from pardnn.cost.estimate import estimate_graph
from pardnn.graph.opgraph import OpGraph
from tests.graph.drawn import built

FEEDS = {
    "placeholder": "x = Placeholder() dtype=float shape=[-1,8,8,3]",
    "iterator": "i = IteratorV2()\nx = IteratorGetNext(i) output_types=float; output_shapes=[-1,8,8,3];",
    "queue": "q = PaddingFIFOQueueV2() component_types=float; shapes=[-1,8,8,3];\n"
    "x = QueueDequeueV2(q) component_types=float;",
    "queue of many": "q = FIFOQueueV2() component_types=float; shapes=[8,8,3];\n"
    "many = Placeholder() dtype=int32 shape=[]\nx = QueueDequeueUpToV2(q, many) component_types=float;",
    "staged": "x = Unstage() dtypes=float; -> [-1,8,8,3]",
}
# A convolution, flattened as Keras does it, a dense layer, and their gradients, all of whose shapes hang on the batch.
NET = """
    one = Const() dtype=int32 value={1}
    begin = Const() dtype=int32 value={0}
    w = VarHandleOp() dtype=float shape=[3,3,3,4]
    v = VarHandleOp() dtype=float shape=[256,10]
    wr = ReadVariableOp(w) dtype=float -> [3,3,3,4]
    vr = ReadVariableOp(v) dtype=float -> [256,10]
    c = Conv2D(x, wr) T=float strides=1;1;1;1 padding='SAME'OPEN4
    r = Relu(c) T=floatOPEN4
    sh = Shape(r) T=float out_type=int32 -> [4]
    n = StridedSlice(sh, begin, one, one) T=int32 Index=int32 shrink_axis_mask=1 -> []
    k = Const() dtype=int32 value={256}
    to = Pack(n, k) T=int32 N=2 -> [2]
    f = Reshape(r, to) T=float Tshape=int32OPEN2
    y = MatMul(f, vr) T=floatOPEN2
    ax = Const() dtype=int32 value={0,1}
    loss = Mean(y, ax) T=float Tidx=int32 -> []
    ysh = Shape(y) T=float out_type=int32 -> [2]
    dy = Fill(ysh, loss) T=float index_type=int32OPEN2
    dv = MatMul(f, dy) T=float transpose_a=True -> [256,10]
    df = MatMul(dy, vr) T=float transpose_b=TrueOPEN2
    dr = Reshape(df, sh) T=float Tshape=int32OPEN4
    dc = ReluGrad(dr, r) T=floatOPEN4
    wsh = Const() dtype=int32 value={3,3,3,4}
    dw = Conv2DBackpropFilter(x, wsh, dc) T=float strides=1;1;1;1 padding='SAME' -> [3,3,3,4]
    lr = Const() dtype=float value={1}
    uw = ResourceApplyGradientDescent(w, lr, dw) T=float
    uv = ResourceApplyGradientDescent(v, lr, dv) T=float
"""
OPEN = {"stated open": (" -> [-1,-1,-1,-1]", " -> [-1,-1]"), "silent": ("", "")}


def network(feed: str, stated: str, batch: int | None) -> OpGraph:
    four, two = OPEN[stated]
    return built(FEEDS[feed] + NET.replace("OPEN4", four).replace("OPEN2", two), batch_size=batch)


@pytest.mark.parametrize("stated", OPEN)
@pytest.mark.parametrize("feed", FEEDS)
def test_every_shape_follows_from_the_batch(feed: str, stated: str) -> None:
    assert network(feed, stated, None).unknown_shape >= 8
    graph = network(feed, stated, 16)
    assert graph.unknown_shape == 0
    shapes = {node.name: graph.output_shapes[v][0].dims for v, node in enumerate(graph.nodes) if graph.output_shapes[v]}
    assert shapes["c"] == shapes["dc"] == (16, 8, 8, 4)
    assert shapes["f"] == shapes["df"] == (16, 256)
    assert (shapes["dw"], shapes["dv"]) == ((3, 3, 3, 4), (256, 10))
    assert graph.notes == network(feed, stated, 32).notes


@pytest.mark.parametrize("feed", FEEDS)
def test_work_is_proportional_to_the_batch(feed: str) -> None:
    def flops(batch: int) -> dict[str, int]:
        graph = network(feed, "silent", batch)
        costs = estimate_graph(graph).costs
        return {node.name: cost.flops for node, cost in zip(graph.nodes, costs, strict=True)}

    small, large = flops(16), flops(48)
    layers = ("c", "r", "y", "dv", "df", "dc", "dw")
    assert {name: large[name] / small[name] for name in layers} == dict.fromkeys(layers, 3.0)
    assert large["uw"] == small["uw"] > 0


def test_a_batch_size_that_changes_nothing_is_told() -> None:
    fixed = "x = Placeholder() dtype=float shape=[8,4]\ny = Relu(x) T=float"
    assert any("the batch size changes nothing" in note for note in built(fixed, batch_size=4).notes)
    assert not any("batch size" in note for note in built(fixed).notes)
    assert not any("batch size" in note for note in network("queue", "silent", 4).notes)
