"""The placed graph as TensorBoard reads it."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import pardnn
from pardnn.answers.board import board
from pardnn.readers import read_graph


def read(tmp_path: Path, data: bytes) -> dict[str, tuple[str, tuple[str, ...], str]]:
    path = tmp_path / "x.tfevents"
    path.write_bytes(data)
    return {node.name: (node.op, node.inputs, node.device) for node in read_graph(path)[0].nodes}


def test_ops_stand_there_with_device_and_inputs(tmp_path: Path) -> None:
    columns = {
        "name": ["a", "b", "c"], "op": ["Src", "MatMul", ""], "time": [1, 500, 1], "resident": [0] * 3,
        "output": [8, 8, 0], "temp": [0] * 3, "src": [0, 1], "dst": [1, 2], "bytes": [8, 0],
        "device": ["/device:GPU:1", None, "/device:GPU:0"],
    }  # fmt: skip
    (tmp_path / "g.json").write_text(json.dumps(columns))
    plan = pardnn.partition(tmp_path / "g.json", gpus=2, method="round-robin")
    assert read(tmp_path, board(plan)) == {
        "a": ("Src", (), "/device:GPU:1"),
        "b": ("MatMul", ("a",), plan.placement["b"]),
        "c": ("op", ("^b",), "/device:GPU:0"),
    }
    assert board(plan) == board(plan)


def test_a_real_graph_keeps_ports_shapes_and_devices(tmp_path: Path, example_graph: Path) -> None:
    plan = pardnn.partition(example_graph, gpus=2, method="round-robin")
    nodes = read(tmp_path, board(plan))
    assert {name: device for name, (_, _, device) in nodes.items()} == plan.placement
    raw = {node.name: node for node in read_graph(example_graph)[0].nodes}
    for name, (op, inputs, _) in nodes.items():
        assert op == raw[name].op
        assert set(inputs) <= {text.removesuffix(":0") for text in raw[name].inputs}


@pytest.mark.parametrize("name", ["</script>", "a\nb", "\x1b[31m", "x" * 4000, "ü"])
def test_names_are_only_text(tmp_path: Path, name: str) -> None:
    columns = {
        "name": [name],
        "time": [1],
        "resident": [0],
        "output": [0],
        "temp": [0],
        "src": [],
        "dst": [],
        "bytes": [],
    }
    (tmp_path / "g.json").write_text(json.dumps(columns))
    assert list(read(tmp_path, board(pardnn.partition(tmp_path / "g.json", gpus=1)))) == [name]


@pytest.mark.slow
@pytest.mark.skipif(find_spec("tensorflow") is None, reason="needs tensorflow")
def test_tensorflow_reads_the_file(tmp_path: Path, example_graph: Path) -> None:
    plan = pardnn.partition(example_graph, gpus=2, method="round-robin")
    (tmp_path / "x.tfevents").write_bytes(board(plan))
    code = "import sys, tensorflow as tf\n"
    code += "events = list(tf.compat.v1.train.summary_iterator(sys.argv[1]))\n"
    code += "graph = tf.compat.v1.GraphDef.FromString(events[1].graph_def)\n"
    code += "print(events[0].file_version, len(graph.node), len({node.device for node in graph.node}))\n"
    command = [sys.executable, "-W", "ignore", "-c", code, str(tmp_path / "x.tfevents")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["brain.Event:2", str(len(plan.placement)), "2"], done.stderr[-500:]
