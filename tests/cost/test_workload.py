from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from pardnn.cost.estimate import estimate_graph
from pardnn.cost.model import cost_model
from pardnn.cost.record import Kernel, OpCost
from pardnn.cost.workload import column_costs, edge_bytes, graph_costs, spread
from pardnn.errors import InputError
from pardnn.graph.raw import FunctionRef
from pardnn.machines.build import build_machine
from pardnn.machines.spec import load_machine
from scheduler.dag import Dag
from tests.cost.factories import make_graph, node

PCIE = load_machine("pcie3")


def sizes(*nodes: object) -> dict[tuple[str, str, int], int]:
    """{(producer, consumer, port): bytes}."""
    graph = make_graph(*nodes)  # type: ignore[arg-type]
    result = edge_bytes(graph, estimate_graph(graph)).tolist()
    names, dag = graph.names, graph.dag
    ends = zip(dag.src.tolist(), dag.dst.tolist(), graph.edge_port.tolist(), strict=True)
    return {(names[u], names[v], p): b for (u, v, p), b in zip(ends, result, strict=True)}


def test_an_edge_carries_its_ports_tensor_and_a_control_edge_nothing() -> None:
    found = sizes(
        node("x", "Placeholder", "", (2, 8)),
        node("s", "Split", "x", (2, 3), (2, 5)),
        node("a", "Relu", "s", (2, 3)),
        node("b", "Relu", "s:1 ^x", (2, 5)),
    )
    assert found == {("x", "s", 0): 64, ("s", "a", 0): 24, ("s", "b", 1): 40, ("x", "b", -1): 0}


def test_ports_of_one_producer_differ_in_size() -> None:
    """Ports of 24, 24, 24 and 25 bytes, in an order that a careless +1 would let collide."""
    found = sizes(
        node("x", "Placeholder", "", (24,)),
        node("s", "Custom", "x", (6,), (6,), (6,), (6,)),
        *(node(f"r{p}", "Relu", f"s:{p}", (6,)) for p in range(4)),
        node("again", "Relu", "s:2", (6,)),
    )
    ports = [found["s", f"r{p}", p] for p in range(4)]
    assert ports == [24, 25, 26, 27]
    assert found["s", "again", 2] == 26


def test_an_empty_tensor_is_still_data() -> None:
    found = sizes(node("x", "Placeholder", "", (0, 8)), node("y", "Relu", "x", (0, 8)))
    assert found["x", "y", 0] == 1


def test_unknown_dimensions_count_as_one_and_are_counted() -> None:
    graph = make_graph(
        node("x", "Placeholder", "", (-1, 8)), node("y", "Relu", "x", (-1, 8)), node("z", "Relu", "y", (2,))
    )
    costs = graph_costs(graph, build_machine(PCIE, 1), cost_model("auto"))
    assert costs.workload.output_bytes.tolist() == [32, 32, 8]
    assert costs.coverage["unknown_shape"] == 2


def test_unlike_cards_and_the_host_have_their_own_times() -> None:
    graph = make_graph(node("x", "Placeholder", "", (4096, 4096)), node("y", "MatMul", "x x", (4096, 4096)))
    hardware = build_machine(PCIE, 2, speed="1,2", host=True)
    time_ns = graph_costs(graph, hardware, cost_model("auto")).workload.time_ns
    assert time_ns.shape == (2, 3)
    assert time_ns[1, 1] == time_ns[1, 0] // 2
    assert time_ns[1, 2] > 4 * time_ns[1, 0]
    assert time_ns[0].tolist() == [0, 0, 0]


def test_a_functions_body_can_be_handed_in() -> None:
    graph = make_graph(
        node("x", "Placeholder", "", (8,)), node("f", "PartitionedCall", "x", (8,), f=FunctionRef("body"))
    )
    body = OpCost((Kernel("matmul", 10**12, 0, 0),))
    costs = graph_costs(graph, build_machine(PCIE, 1), cost_model("auto"), {"body": body})
    assert costs.workload.time_ns[1, 0] > 50_000_000


def test_speed_divides_and_one_changes_nothing() -> None:
    times = np.array([0, 1, 7, 2**51 + 1])
    result = spread([times] * 3, (Fraction(1), Fraction(3), Fraction(1, 2)))
    assert result[:3].tolist() == [[0, 0, 0], [1, 0, 2], [7, 2, 14]]
    assert result[3, :2].tolist() == [2**51 + 1, (2**51 + 1) // 3]


@dataclass(frozen=True, eq=False)
class Columns:
    dag: Dag
    time_ns: NDArray[np.int64]
    edge_bytes: NDArray[np.int64]
    resident_bytes: NDArray[np.int64]
    output_bytes: NDArray[np.int64]
    temp_bytes: NDArray[np.int64]


def test_a_cost_graph_keeps_its_figures() -> None:
    three = np.array([5, 6, 7])
    columns = Columns(Dag.from_edges(3, [0, 1], [1, 2]), three, np.array([10, 0]), three + 1, three + 2, three + 3)
    costs = column_costs(columns, build_machine(PCIE, 2, speed="1,2"))
    assert costs.workload.time_ns.tolist() == [[5, 2], [6, 3], [7, 3]]
    assert costs.workload.edge_bytes.tolist() == [10, 0]
    assert costs.workload.temp_bytes.tolist() == [8, 9, 10]
    assert costs.coverage["measured"] == 3


def test_the_cost_model_is_named_as_on_the_command_line() -> None:
    assert cost_model("roofline") == cost_model("roofline") != cost_model("auto")
    with pytest.raises(InputError, match="no cost model 'guess'; there are: auto, learned, measured, roofline"):
        cost_model("guess")
    with pytest.raises(InputError, match="name the file too"):
        cost_model("measured")
    with pytest.raises(InputError, match="reads no file"):
        cost_model("roofline:x.csv")
