"""`--costs learned`: which ops are learned, where the roofline takes over, and that it says so."""

import re

import numpy as np
import pytest

from pardnn.cost.model import cost_model
from pardnn.cost.workload import Costs, graph_costs
from pardnn.errors import InputError
from pardnn.machines.build import build_machine
from pardnn.machines.spec import load_machine
from tests.cost.factories import make_graph, node

GRAPH = make_graph(
    node("x", "Placeholder", "", (64, 56, 56, 256)),
    node("w", "Placeholder", "", (3, 3, 256, 256)),
    node("conv", "Conv2D", "x w", (64, 56, 56, 256), strides=(1, 1, 1, 1), padding=b"SAME"),
    node("relu", "Relu", "conv", (64, 56, 56, 256)),
    node("sum", "AddV2", "relu conv", (64, 56, 56, 256)),
    node("a", "Placeholder", "", (4096, 4096)),
    node("product", "MatMul", "a a", (4096, 4096)),
    node("soft", "Softmax", "product", (4096, 4096)),
    node("pool", "MaxPool", "x", (64, 28, 28, 256), ksize=(1, 2, 2, 1)),
    node("small", "Placeholder", "", (2, 2)),
    node("tiny", "Relu", "small", (2, 2)),
)


def costs(name: str, machine: str = "pcie3") -> Costs:
    return graph_costs(GRAPH, build_machine(load_machine(machine), 1), cost_model(name))


def test_known_kinds_are_learned_and_the_rest_is_by_roofline_and_said_so() -> None:
    found = costs("learned")
    source = dict(zip(GRAPH.names, found.source, strict=True))
    assert {name for name, one in source.items() if one == "learned"} == {"conv", "relu", "sum", "product", "soft"}
    assert found.coverage["learned"] == 5
    assert re.search(r"learned: times of 5 of 11 ops; by roofline 5 of kinds .* 1 vector ops too small", found.notes[0])


def test_what_is_not_learned_is_as_by_roofline() -> None:
    found, plain = costs("learned"), costs("roofline")
    same = [GRAPH.names.index(name) for name in ("pool", "tiny")]
    assert (found.run_ns[same] == plain.run_ns[same]).all()


def test_each_learned_op_has_a_band_of_its_own_around_its_time() -> None:
    found = costs("learned")
    learned = np.array([one == "learned" for one in found.source])
    assert (found.band[learned, 0] < 1).all()
    assert (found.band[learned, 1] > 1).all()
    assert len(set(found.band[learned, 1].tolist())) > 2


def test_times_on_a_v100_are_of_the_order_of_its_peaks() -> None:
    """The convolution: 2 x 64 x 56^2 x 9 x 256^2 flops, 15 ms at 15.7 TFLOP/s and 7 by Winograd's method."""
    time = dict(zip(GRAPH.names, (costs("learned").run_ns / 1e6).tolist(), strict=True))
    assert 5 < time["conv"] < 25
    assert 8.7 < time["product"] < 14  # 137 GFLOP
    assert 0.45 < time["relu"] < 0.6  # 411 MB


def test_gradients_of_a_convolution_take_longer_than_its_forward_pass() -> None:
    """On a V100, both take 2 to 3 forward passes in half of the layers measured."""
    tap = node("tap", "Conv2DBackpropFilter", "x w conv", (3, 3, 256, 256), strides=(1, 1, 1, 1), padding=b"SAME")
    image = node("image", "Conv2DBackpropInput", "x w conv", (64, 56, 56, 256), strides=(1, 1, 1, 1), padding=b"SAME")
    graph = make_graph(*GRAPH.nodes[:3], tap, image)
    found = graph_costs(graph, build_machine(load_machine("pcie3"), 1), cost_model("learned"))
    time = dict(zip(graph.names, found.run_ns.tolist(), strict=True))
    assert [found.source[graph.names.index(name)] for name in ("tap", "image")] == ["learned", "learned"]
    assert time["tap"] == time["image"]
    assert 1.0 < time["tap"] / time["conv"] < 1.6


def test_products_on_tensor_cores_are_not_learned() -> None:
    """A100: TensorFlow runs 32-bit products in TF32, on other cores than those the networks know."""
    found = dict(zip(GRAPH.names, costs("learned", "dgx-a100").source, strict=True))
    assert (found["product"], found["conv"], found["relu"]) == ("roofline", "roofline", "learned")


def test_a_file_that_is_none_is_refused() -> None:
    with pytest.raises(InputError, match=r"absent\.npz: cannot be read"):
        costs("learned:absent.npz")
