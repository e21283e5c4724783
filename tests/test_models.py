"""The networks that ship: each trains here, placed and unplaced alike; the graph of one is small, whole, and runs."""

import re
from pathlib import Path
from typing import Any

import pytest

from pardnn import partition
from tests.keras import test_place

ROOT = Path(__file__).parents[1]
NETWORKS = sorted(path.stem for path in (ROOT / "models").glob("*.py"))
slow, needs_tensorflow = test_place.pytestmark


def test_the_example_graph_is_small_and_plain(example_graph: Path) -> None:
    text = example_graph.read_text()
    assert len(text) < 300_000
    assert "device:" not in text
    assert "size: -1" not in text
    assert len(re.findall(r"^node {", text, re.MULTILINE)) == 390
    assert text.count('op: "VarHandleOp"') == text.count("shared_name") == 28


def test_tensorflow_loads_the_example_graph(example_graph: Path) -> None:
    tf = pytest.importorskip("tensorflow")
    from google.protobuf import text_format

    definition = text_format.Parse(example_graph.read_text(), tf.compat.v1.GraphDef())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="")
    assert graph.get_operation_by_name("train").type == "NoOp"
    assert len(graph.get_operations()) == 390


def test_a_traced_step_stands_alone_and_trains() -> None:
    """Every variable is created by the graph itself, and one run of the train op changes all weights."""
    tf = pytest.importorskip("tensorflow")
    import numpy as np

    from models import four_view_cnn
    from pardnn.placers.extract import extracted

    definition, _ = extracted(four_view_cnn.build(batch=2, side=32, width=4, classes=3), "four_view_cnn")
    rng = np.random.default_rng(0)
    with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
        tf.import_graph_def(definition, name="")
        variables = [op for op in graph.get_operations() if op.type == "VarHandleOp"]
        weights = [v for v in variables if v.get_attr("dtype") == tf.float32 and v.get_attr("shape").dim]
        values = {v.name: _initial(v, rng) for v in variables}
        for v in variables:
            session.run(tf.raw_ops.AssignVariableOp(resource=v.outputs[0], value=tf.constant(values[v.name])))
        feed = {op.outputs[0]: _data(op, rng) for op in graph.get_operations() if op.type == "Placeholder"}
        session.run("train", feed)
        after = session.run(
            {v.name: tf.raw_ops.ReadVariableOp(resource=v.outputs[0], dtype=tf.float32) for v in weights}
        )
    assert len(weights) == 24
    for name, value in after.items():
        assert np.isfinite(value).all()
        assert (value != values[name]).any(), name


def _initial(variable: Any, rng: Any) -> Any:
    shape = [d.size for d in variable.get_attr("shape").dim]
    return rng.uniform(0.01, 0.1, shape).astype(variable.get_attr("dtype").as_numpy_dtype)


def _data(placeholder: Any, rng: Any) -> Any:
    shape, dtype = placeholder.outputs[0].shape.as_list(), placeholder.outputs[0].dtype.as_numpy_dtype
    return rng.integers(0, 3, shape).astype(dtype)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def trained(folder: Path) -> dict[str, dict[str, Any]]:
    return {found["network"]: found for found in test_place.answers("trained", str(folder))}


@slow
@needs_tensorflow
@pytest.mark.parametrize("network", NETWORKS)
def test_each_trains_placed_as_it_does_unplaced(trained: dict[str, dict[str, Any]], network: str) -> None:
    found = trained[network]
    first, second = found["losses"]
    assert second < first
    assert found["equal"] == [True, True]
    assert found["ok"]
    assert found["bare"] == 0
    assert found["checked"] > 0.87 * found["ops"]  # the others are ops that nothing reads: they do not run
    assert len(found["used"]) == 4
    assert found["warnings"] == []


@slow
@needs_tensorflow
@pytest.mark.parametrize("network", NETWORKS)
def test_each_is_written_as_a_graph_and_partitioned(
    trained: dict[str, dict[str, Any]], folder: Path, network: str
) -> None:
    code, words = trained[network]["extracted"]
    assert code == 0
    nodes = int(words.partition(": ")[2].partition(" ")[0])
    plan = partition(folder / f"{network}.pb", gpus=4, mem="16GB", targets=["train"], method="heft")
    # Nothing reads these but, before it was bypassed, the op that hands all gradients on: TensorFlow drops them too.
    assert set(plan.subject.unplaced.values()) == {"not needed by the training step"}
    assert plan.result()["coverage"]["pruned"] < 0.12 * nodes
    assert plan.result()["nodes"] == nodes
    assert nodes == pytest.approx(described()[network], rel=0.05)  # other versions of TensorFlow trace a little else


@pytest.mark.parametrize("network", NETWORKS)
def test_each_is_described(network: str) -> None:
    assert network in described()
    assert (ROOT / "models" / f"{network}.py").read_text().startswith('"""')


def described() -> dict[str, int]:
    """The ops of each small step, by network, as models/README.md has them."""
    rows = re.findall(
        r"^\| \[(\w+)\.py\]\(\w+\.py\) \|.*\| ([\d,]+) \|$", (ROOT / "models/README.md").read_text(), re.M
    )
    return {network: int(ops.replace(",", "")) for network, ops in rows}
