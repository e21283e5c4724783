"""Inlining and placing of library functions, with TensorFlow as the judge."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from pardnn.graph.build import build
from pardnn.pipeline import partition
from pardnn.readers import read_graph
from tests.real.placed import ROOT

FILES = (
    "savedmodel/basic_pitch.saved_model.pb",
    "made/keras_lstm_train_functional_while.pb",
    "graphdef/tf_keras_imagenet_main.pbtxt",
    "edge/g2m_arg-control-dep.pbtxt",
    "edge/g2m_graph-uint8-return.pbtxt",
)

pytestmark = pytest.mark.skipif(find_spec("tensorflow") is None, reason="needs TensorFlow")


def ask(jobs: Sequence[Mapping[str, object]]) -> list[Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.real.tf_functions"],
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    )
    assert done.returncode == 0, done.stderr[-1000:]
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_names_ops_and_edges_are_those_of_tensorflows_own_inlining(shared: Path) -> None:
    paths = [shared / "data/graphs" / name for name in FILES]
    for path, wanted in zip(paths, ask([{"inline": str(path)} for path in paths]), strict=True):
        raw = read_graph(path)[0]
        graph = build(raw)
        # A call itself runs nothing: TensorFlow drops it, or keeps an IdentityN of its results where they are fetched.
        calls = {node.name for node in graph.nodes if "PartitionedCall" in node.name.rpartition("/")[2]}
        calls |= {node.name for node in raw.nodes} - {node.name for node in graph.nodes if node.op != "NoOp"}
        ours = {
            node.name: [node.op, [text if ":" in text else f"{text}:0" for text in node.inputs if text[0] != "^"]]
            for node in graph.nodes
        }
        theirs = {name: op for name, op in wanted.items() if name not in calls}
        assert {name: op for name, op in ours.items() if name not in calls} == theirs, path.name
        assert wanted.keys() <= ours.keys(), path.name


def op(kind: str, field: str = "node", /, *inputs: str, name: str, **attrs: str) -> str:
    """A NodeDef in text; attributes as their value is written."""
    names = "".join(f' input: "{text}"' for text in inputs)
    values = "".join(f' attr {{ key: "{key}" value {{ {value} }} }}' for key, value in attrs.items())
    return f'{field} {{ name: "{name}" op: "{kind}"{names}{values} }}'


FLOAT = "type: DT_FLOAT"
FLOATS = "list { type: DT_FLOAT }"
SHAPE = "shape { dim { size: 64 } dim { size: 64 } }"


def call(field: str, name: str, function: str, *inputs: str) -> str:
    types = "list { " + " ".join("type: " + ("DT_RESOURCE" if text == "v" else "DT_FLOAT") for text in inputs) + " }"
    return op("StatefulPartitionedCall", field, *inputs, name=name, f=f'func {{ name: "{function}" }}', Tin=types,
              Tout=FLOATS)  # fmt: skip


def library(name: str, arguments: Mapping[str, str], result: str, *nodes: str, awaited: str = "") -> str:
    taken = " ".join(f'input_arg {{ name: "{a}" type: {kind} }}' for a, kind in arguments.items())
    effect = 'control_output: "done" ' if awaited else ""
    waits = f'control_ret {{ key: "done" value: "{awaited}" }}' if awaited else ""
    given = 'output_arg { name: "y" type: DT_FLOAT }'
    return (
        f'function {{ signature {{ name: "{name}" {taken} {given} {effect}}} '
        f'{" ".join(nodes)} ret {{ key: "y" value: "{result}" }} {waits} }}'
    )


BODY = "node_def"
GRAPH = "\n".join([
    op("VarHandleOp", name="v", dtype=FLOAT, shape=SHAPE),
    op("Placeholder", name="x", dtype=FLOAT, shape=SHAPE),
    op("AssignVariableOp", "node", "v", "x", name="init", dtype=FLOAT),
    call("node", "once", "outer", "x", "v"),
    call("node", "a", "shared", "once"),
    call("node", "b", "shared", "a"),
    op("by_name", "node", "b", name="c"),
    op("Relu", "node", "c", "^once", name="y", T=FLOAT),
    "library {",
    library("outer", {"x": "DT_FLOAT", "v": "DT_RESOURCE"}, "n:y:0",
        op("MatMul", BODY, "x", "x", name="m", T=FLOAT),
        call(BODY, "in", "inner", "m:product:0", "v"),
        op("Neg", BODY, "in:output:0", name="n", T=FLOAT), awaited="in"),
    library("inner", {"x": "DT_FLOAT", "v": "DT_RESOURCE"}, "p:z:0",
        op("ReadVariableOp", BODY, "v", name="r", dtype=FLOAT),
        op("MatMul", BODY, "x", "r:value:0", name="q", T=FLOAT),
        op("AddV2", BODY, "q:product:0", "x", name="p", T=FLOAT), awaited="r"),
    library("shared", {"x": "DT_FLOAT"}, "t:y:0",
        op("MatMul", BODY, "x", "x", name="s", T=FLOAT), op("Tanh", BODY, "s:product:0", name="t", T=FLOAT)),
    library("by_name", {"x": "DT_FLOAT"}, "u:y:0",
        op("MatMul", BODY, "x", "x", name="w", T=FLOAT), op("Tanh", BODY, "w:product:0", name="u", T=FLOAT)),
    "}",
    "versions { producer: 1000 }",
])  # fmt: skip
"""TensorFlow inlines a call with effects only where someone waits for it."""
INSIDE = {"once/m", "once/n", "once/in/r", "once/in/q", "once/in/p", "a/s", "a/t", "b/s", "b/t", "c/w", "c/u"}
"""The ops of bodies that do something, as the plan calls them."""


@pytest.fixture(scope="module")
def placed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """The graph over four devices, so that neighbours in its bodies are apart; and its plan."""
    folder = tmp_path_factory.mktemp("functions")
    source, target = folder / "graph.pbtxt", folder / "placed.pbtxt"
    source.write_text(GRAPH)
    plan = partition(source, gpus=4, mem="1GB", method="round-robin", targets=["y"])
    plan.save(target)
    return target, {name: logical(device) for name, device in plan.placement.items()}


def logical(device: str) -> str:
    return f"CPU:{int(device.rpartition(':')[2]) + 1}" if "GPU" in device else "CPU:0"


def test_bodies_of_functions_called_once_are_spread(placed: tuple[Path, dict[str, str]]) -> None:
    _, place = placed
    assert len({place[name] for name in INSIDE if name.startswith("once/")}) > 1
    for unit in ("a", "b", "c"):
        assert len({place[name] for name in INSIDE if name.startswith(f"{unit}/")} | {place[unit]}) == 1
    assert place["once/in/r"] == place["v"]


def test_every_op_of_a_body_runs_where_the_plan_says(placed: tuple[Path, dict[str, str]]) -> None:
    target, place = placed
    inlined, whole = ask([{"run": str(target), "fetch": ["y"], "inline": inline} for inline in (True, False)])
    ran = {name: device for name, device in inlined if name in place}
    assert INSIDE | {"v", "y"} <= ran.keys()
    assert ran == {name: place[name] for name in ran}
    # Calls run as they are: names are then those in the functions, and a function called twice runs in two places.
    homes = {"m": "once/m", "n": "once/n", "in/r": "once/in/r", "in/q": "once/in/q", "in/p": "once/in/p"}
    assert {(name, place[plan]) for name, plan in homes.items()} <= {(name, device) for name, device in whole}
    assert {device for name, device in whole if name == "t"} == {place["a/t"], place["b/t"]}
