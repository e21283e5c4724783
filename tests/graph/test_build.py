import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pardnn.errors import InputError
from pardnn.graph.build import build
from pardnn.graph.opgraph import OpGraph
from pardnn.graph.raw import RawGraph, Shape
from pardnn.readers import read_graph
from tests.graph.drawn import built, draw

STEP = """
    x = Placeholder() dtype=float -> [8,3]
    w = VariableV2() dtype=float shape=[3,4] -> [3,4]
    read = Identity(w) T=float -> [3,4]
    y = MatMul(x, read) T=float -> [8,4]
    g = MatMul(x, y) T=float transpose_a=True -> [3,4]
    rate = Const() dtype=float -> []
    up = ApplyGradientDescent(w, rate, g) T=float -> [3,4]
    dead = Neg(y) T=float -> [8,4]
"""


def test_columns_are_aligned_and_the_dag_holds_the_kept_ops_in_file_order() -> None:
    graph = built(STEP)
    assert graph.names == ("x", "w", "read", "y", "g", "rate", "up")
    assert graph.unplaced == {"dead": "not needed by the training step"}
    assert (graph.nodes_read, graph.edges_read, graph.loops) == (8, 9, 0)
    ends = zip(graph.dag.src.tolist(), graph.dag.dst.tolist(), graph.edge_port.tolist(), strict=True)
    named = [(graph.names[u], graph.names[v], port) for u, v, port in ends]
    assert ("x", "y", 0) in named
    assert len(named) == 8
    assert graph.group.tolist() == [0, 1, 2, 3, 4, 5, 1]
    assert graph.output_shapes[6] == (Shape((3, 4)),)
    assert [int(types[0]) for types in graph.output_dtypes] == [1, 101, 1, 1, 1, 1, 101]
    assert graph.trips.tolist() == [1] * 7


def test_an_empty_graph_is_refused() -> None:
    with pytest.raises(InputError, match="the graph has no nodes"):
        built("")


def test_arrays_cannot_be_written() -> None:
    graph = built(STEP)
    for array in (graph.group, graph.host, graph.trips, graph.edge_port):
        assert not array.flags.writeable


def test_the_order_in_the_file_means_nothing() -> None:
    raw = draw(STEP)
    nodes = list(raw.nodes)
    random.Random(7).shuffle(nodes)
    shuffled = build(replace(raw, nodes=tuple(nodes)))
    plain = build(raw)
    assert facts_by_name(shuffled) == facts_by_name(plain)
    assert shuffled.unplaced == plain.unplaced


def facts_by_name(graph: OpGraph) -> dict[str, object]:
    groups: dict[int, set[str]] = {}
    for name, number in zip(graph.names, graph.group.tolist(), strict=True):
        groups.setdefault(number, set()).add(name)
    rows = zip(graph.names, graph.group.tolist(), graph.output_shapes, graph.host.tolist(), strict=True)
    return {name: (frozenset(groups[number]), shapes, host) for name, number, shapes, host in rows}


# file: nodes, edges (pairs), loops as its README counts them; ops kept; kept ops that run on the CPU
FILES = {
    "graphdef/tf_keras_imagenet_main.pbtxt": (2853, 4949, 0, 2853, 0),
    "graphdef/tf_keras_imagenet_main_graph_mode.pbtxt": (2359, 4080, 0, 2358, 0),
    "graphdef/ssd_hikapok_graph.pbtxt": (5699, 9066, 8, 1960, 3),
    "metagraph/ssd_hikapok_model.ckpt-120000.meta": (5699, 9066, 8, 1960, 3),
    "graphdef/tf_opens2s_gnmt_mixed_precision.pbtxt.gz": (5877, 10607, 95, 5877, 23),
    "edge/grappler_nested_loop.pbtxt": (41, 53, 4, 41, 0),
    "made/keras_resnet50_adam_train_bs32.pb": (14481, 21124, 0, 14481, 0),
    "made/tf1_mlp_deep_2000.pb.gz": (54034, 88028, 0, 24018, 0),
    "made/tf1_while_rnn_train.pb": (124, 160, 6, 108, 0),
}


@pytest.fixture(scope="module")
def graphs(shared: Path) -> dict[str, tuple[RawGraph, OpGraph]]:
    raws = {name: read_graph(shared / "data" / "graphs" / name)[0] for name in FILES}
    return {name: (raw, build(raw)) for name, raw in raws.items()}


@pytest.mark.parametrize("name", FILES)
def test_real_graphs_are_counted_as_their_readme_says(name: str, graphs: dict[str, tuple[RawGraph, OpGraph]]) -> None:
    graph = graphs[name][1]
    counts = (graph.nodes_read, graph.edges_read, graph.loops, graph.dag.n, int(graph.host.sum()))
    assert counts == FILES[name]
    assert len(graph.unplaced) + graph.dag.n == graph.nodes_read
    assert len(graph.dag.order) == graph.dag.n


@pytest.mark.parametrize("name", FILES)
def test_nothing_kept_lacks_an_input(name: str, graphs: dict[str, tuple[RawGraph, OpGraph]]) -> None:
    raw, graph = graphs[name]
    kept = set(graph.names)
    for node in raw.nodes:
        if node.name in kept:
            assert {text.removeprefix("^").rsplit(":", 1)[0] for text in node.inputs} <= kept


@pytest.mark.parametrize("name", FILES)
def test_rules_agree_with_every_shape_that_tensorflow_wrote_into_the_file(
    name: str, graphs: dict[str, tuple[RawGraph, OpGraph]]
) -> None:
    raw, stated = graphs[name]
    bare = [replace(n, attrs={k: v for k, v in n.attrs.items() if k != "_output_shapes"}) for n in raw.nodes]
    ruled = build(replace(raw, nodes=tuple(bare)))
    for node, given, found in zip(stated.nodes, stated.output_shapes, ruled.output_shapes, strict=True):
        for a, b in zip(given, found, strict=True):
            assert compatible(a, b), (node.op, node.name, a, b)


def compatible(a: Shape, b: Shape) -> bool:
    if a.dims is None or b.dims is None:
        return True
    return len(a.dims) == len(b.dims) and all(p == q or min(p, q) < 0 for p, q in zip(a.dims, b.dims, strict=True))


def test_the_resnet_without_shapes_is_shaped_but_for_its_inputs(graphs: dict[str, tuple[RawGraph, OpGraph]]) -> None:
    graph = graphs["graphdef/tf_keras_imagenet_main.pbtxt"][1]
    assert graph.unknown_shape <= 10
    shapes = dict(zip(graph.names, graph.output_shapes, strict=True))
    assert shapes["fc1000_1/MatMul"][0].dims is not None
    assert shapes["fc1000_1/MatMul"][0].dims[1] == 1001


def test_text_and_binary_of_one_graph_give_one_op_graph(graphs: dict[str, tuple[RawGraph, OpGraph]]) -> None:
    text, meta = (
        graphs[n][1] for n in ("graphdef/ssd_hikapok_graph.pbtxt", "metagraph/ssd_hikapok_model.ckpt-120000.meta")
    )
    assert text.names == meta.names
    assert text.unplaced == meta.unplaced
    assert text.output_shapes == meta.output_shapes
    assert np.array_equal(text.group, meta.group)
    assert np.array_equal(text.dag.src, meta.dag.src)


def test_the_detectors_step_leaves_out_input_savers_summaries_and_initialisers(
    graphs: dict[str, tuple[RawGraph, OpGraph]],
) -> None:
    graph = graphs["graphdef/ssd_hikapok_graph.pbtxt"][1]
    reasons = Counter(graph.unplaced.values())
    assert set(reasons) == {"input pipeline", "saver", "summary", "initialiser", "not needed by the training step"}
    assert not any(node.op.startswith(("Save", "Restore")) or "Summary" in node.op for node in graph.nodes)
    assert Counter(node.op for node in graph.nodes)["ApplyMomentum"] == 71


def test_the_translators_decoder_and_its_gradient_are_one_group_on_a_gpu(
    graphs: dict[str, tuple[RawGraph, OpGraph]],
) -> None:
    """Its Asserts hold strings, which only the CPU can hold; they must not drag the loop there."""
    graph = graphs["graphdef/tf_opens2s_gnmt_mixed_precision.pbtxt.gz"][1]
    sizes = np.bincount(graph.group)
    largest = int(sizes.argmax())
    members = np.flatnonzero(graph.group == largest)
    assert len(members) > 1800
    assert not graph.host[members].any()
    assert {"StackPushV2", "StackPopV2", "MatMul"} <= {graph.nodes[v].op for v in members}
