"""Which tensors of a training graph are synchronised, and what its ops are there for."""

from __future__ import annotations

from pathlib import Path

import pytest

from pardnn.config import Options
from pardnn.distribute.gradients import find_gradients
from pardnn.distribute.phases import PHASES, phases
from pardnn.errors import InputError
from pardnn.subject import Subject, pose


@pytest.fixture(scope="module")
def network(example_graph: Path) -> Subject:
    return pose(str(example_graph), Options(gpus=1))


def test_every_weight_has_its_gradient(network: Subject) -> None:
    """The network's weights have 2,836,200 numbers; as many are synchronised."""
    assert network.graph is not None
    found = find_gradients(network.graph, network.problem.workload, network.name)
    assert found.exact
    assert (len(found.source), found.total_bytes) == (24, 4 * 2_836_200)
    assert {network.ops[v] for v in found.source.tolist()} == {"BiasAddGrad", "MatMul", "Conv2DBackpropFilter"}
    assert {network.ops[v] for v in found.reader.tolist()} == {"Mul"}  # by the learning rate
    assert sorted(set(found.of_reader.tolist())) == list(range(24))


def test_every_update_is_read_again(network: Subject) -> None:
    """Of each of the 24 weights some op of the next step reads what the update has changed."""
    assert network.graph is not None
    found = find_gradients(network.graph, network.problem.workload, network.name)
    assert {network.ops[v] for v in found.again[:, 0].tolist()} == {"AssignSubVariableOp"}
    assert {network.ops[v] for v in found.again[:, 1].tolist()} <= {"ReadVariableOp"}
    assert len(set(found.again[:, 0].tolist())) == 24


def test_forward_backward_update(network: Subject) -> None:
    assert network.graph is not None
    found = find_gradients(network.graph, network.problem.workload, network.name)
    of = dict(zip(network.ops, phases(network.graph.dag, found).tolist(), strict=True))
    assert PHASES[of["Conv2DBackpropFilter"]] == "backward"
    assert PHASES[of["Conv2D"]] == "forward"
    assert PHASES[of["AssignSubVariableOp"]] == "update"


def test_a_graph_without_an_optimizer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "forward.pbtxt"
    path.write_text('node { name: "a" op: "Const" }\nnode { name: "b" op: "Relu" input: "a" }\n')
    one = pose(str(path), Options(gpus=1))
    assert one.graph is not None
    with pytest.raises(InputError, match=r"forward\.pbtxt: has no gradients.*pardnn extract"):
        find_gradients(one.graph, one.problem.workload, one.name)


def test_what_only_hands_gradients_on_holds_none_back(tmp_path: Path) -> None:
    """Two gradients go through one IdentityN: each is there when its own op is done."""
    node = "node {{ name: '{}' op: '{}' {} attr {{ key: 'T' value {{ type: DT_FLOAT }} }} {} }}\n"
    shape = "attr { key: 'shape' value { shape { dim { size: 3 } } } } attr { key: 'dtype' value { type: DT_FLOAT } }"
    text = node.format("x", "Placeholder", "", shape)
    for w in ("v", "w"):
        text += node.format(w, "VariableV2", "", shape)
        text += node.format(f"y{w}", "Mul", f"input: '{'x' if w == 'v' else 'yv'}' input: '{w}'", "")
        text += node.format(f"g{w}", "Square", f"input: 'y{w}'", "")
    text += node.format("all", "IdentityN", "input: 'gv' input: 'gw'", "").replace(
        "type: DT_FLOAT", "list { type: DT_FLOAT type: DT_FLOAT }"
    )
    for port, w in enumerate(("v", "w")):
        rest = "attr { key: 'shape' value { shape { } } }"
        text += node.format(f"rate{w}", "Placeholder", "", rest)
        text += node.format(f"u{w}", "ApplyGradientDescent", f"input: '{w}' input: 'rate{w}' input: 'all:{port}'", "")
    (tmp_path / "g.pbtxt").write_text(text)
    one = pose(str(tmp_path / "g.pbtxt"), Options(gpus=1))
    assert one.graph is not None
    found = find_gradients(one.graph, one.problem.workload, one.name)
    assert [one.names[v] for v in found.source.tolist()] == ["gv", "gw"]
    assert sorted(one.names[v] for v in found.reader.tolist()) == ["uv", "uw"]
