"""Every graph file of the shared folder, against the table of what it holds and against its twin."""

import gzip
from pathlib import Path

import pytest

from pardnn.errors import InputError
from pardnn.graph.raw import DType, FunctionRef, RawGraph, Shape, TensorInfo
from pardnn.readers import read_graph


def table(shared: Path) -> dict[str, tuple[int, ...]]:
    """nodes, edges, control inputs, colocated nodes, functions, nodes in functions by file name."""
    rows = {}
    for line in (shared / "data" / "README.md").read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 12 and cells[6].isdigit():
            functions, inside = cells[10].split("/")
            rows[Path(cells[1]).name] = (*map(int, cells[6:10]), int(functions), int(inside))
    return rows


def counts(graph: RawGraph) -> tuple[int, ...]:
    """The same of a graph that was read; x, x:1 from one producer are one edge, ^x is one of its own only if alone."""
    control = sum(name.startswith("^") for node in graph.nodes for name in node.inputs)
    edges = sum(len({name.removeprefix("^").split(":")[0] for name in node.inputs}) for node in graph.nodes)
    grouped = sum("_class" in node.attrs for node in graph.nodes)
    inside = sum(len(function.nodes) for function in graph.functions)
    return len(graph.nodes), edges, control, grouped, len(graph.functions), inside


def test_every_file_holds_what_the_table_says(shared: Path) -> None:
    rows = table(shared)
    assert len(rows) == 47
    found = {name: counts(read_graph(next(shared.glob(f"data/graphs/*/{name}")))[0]) for name in rows}
    assert found == rows


@pytest.mark.parametrize(
    ("text", "binary"),
    [
        ("graphdef/ssd_hikapok_graph.pbtxt", "metagraph/ssd_hikapok_model.ckpt-120000.meta"),
        ("made/tf1_mlp_4gpu_manual.pbtxt", "made/tf1_mlp_4gpu_manual.pb"),
        ("made/tf1_while_rnn_train.pbtxt", "made/tf1_while_rnn_train.pb"),
        ("savedmodel/tf_half_plus_two.saved_model.pbtxt", "savedmodel/tf_half_plus_two.saved_model.pb"),
    ],
)
def test_text_and_binary_of_one_graph_are_equal(shared: Path, text: str, binary: str) -> None:
    one, _ = read_graph(shared / "data" / "graphs" / text)
    two, _ = read_graph(shared / "data" / "graphs" / binary)
    if "half_plus_two" in text:  # written by two runs: same nodes but for a version number in an attribute
        assert [node.name for node in one.nodes] == [node.name for node in two.nodes]
    else:
        assert one.nodes == two.nodes
    assert one.functions == two.functions
    assert (one.source.text, two.source.text) == (True, False)


def test_attributes_of_all_kinds(shared: Path) -> None:
    graph, _ = read_graph(shared / "data/graphs/graphdef/ssd_hikapok_graph.pbtxt")
    nodes = {node.name: node for node in graph.nodes}
    start = nodes["get_layer_anchors/meshgrid/Reshape/shape"]
    assert start.attrs == {
        "_output_shapes": (Shape((2,)),),
        "dtype": DType(3),
        "value": TensorInfo(DType(3), Shape((2,)), (-1, 1)),
    }
    assert nodes["global_step/Initializer/zeros/Const"].attrs["_class"] == (b"loc:@global_step",)
    keras, _ = read_graph(shared / "data/graphs/made/keras_lstm_train_functional_while.pb")
    calls = {value for node in keras.nodes for value in node.attrs.values() if isinstance(value, FunctionRef)}
    assert {ref.name for ref in calls} <= {function.name for function in keras.functions}
    assert calls


def test_the_training_ops_of_a_metagraph(shared: Path) -> None:
    graph, _ = read_graph(shared / "data/graphs/metagraph/tf2onnx_regression.meta")
    assert graph.source.kind == "MetaGraphDef"
    assert graph.train_ops == ("GradientDescent",)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("empty.pb", "no nodes"),
        ("empty.pbtxt", "no nodes"),
        ("only_versions.pbtxt", "no nodes"),
        ("truncated.pbtxt", r"truncated\.pbtxt:2: field 'op' has no value"),
        ("not_a_graph_but_named.pb", "a PNG image"),
        ("tf221_v1session_2cpu_run_metadata.pb", "cannot be read: not a graph"),
        ("../edge/g2m_graph-malformed.pbtxt", r"malformed\.pbtxt:3: "),
    ],
)
def test_what_is_no_graph_is_refused_in_one_line(shared: Path, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        read_graph(shared / "data" / "graphs" / "made" / name)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("change", ["gzip", "bom", "crlf", "suffix", "one line"])
def test_content_counts_not_the_name(example_graph: Path, tmp_path: Path, change: str) -> None:
    data = example_graph.read_bytes()
    assert data.isascii()
    assert b"#" not in data
    changed = {
        "gzip": gzip.compress(data),
        "bom": b"\xef\xbb\xbf" + data,
        "crlf": data.replace(b"\n", b"\r\n"),
        "suffix": data,
        "one line": data.replace(b"\n", b" "),
    }[change]
    (tmp_path / "graph.meta").write_bytes(changed)
    graph, content = read_graph(tmp_path / "graph.meta")
    assert graph.nodes == read_graph(example_graph)[0].nodes
    assert graph.source.gzip == (change == "gzip")
    assert content == (data if change == "gzip" else changed)


def test_names_may_be_long_and_foreign(shared: Path) -> None:
    graph, _ = read_graph(shared / "data/graphs/made/unicode_and_long_names.pbtxt")
    assert graph.nodes[0].name == "模型/conv"
    assert len(graph.nodes[1].name) == 4003
