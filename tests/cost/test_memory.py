import pytest

from pardnn.cost import memory
from pardnn.cost.estimate import estimate_graph
from pardnn.graph.raw import DType, RawNode, Shape
from tests.cost.factories import FLOAT, RESOURCE, make_graph, node


def held(*nodes: RawNode) -> dict[str, tuple[int, int]]:
    """{op: (resident, output)} bytes."""
    graph = make_graph(*nodes)
    costs = estimate_graph(graph)
    columns = memory.resident_bytes(graph, costs), memory.output_bytes(graph, costs)
    return dict(zip(graph.names, zip(*(column.tolist() for column in columns), strict=True), strict=True))


def test_a_reference_variable_is_resident_and_its_reads_take_nothing() -> None:
    found = held(
        node("w", "VariableV2", "", (10, 10), shape=Shape((10, 10))),
        node("read", "Identity", "w", (10, 10)),
        node("flat", "Reshape", "read shape", (100,)),
        node("shape", "Const", "", (1,)),
        node("y", "Mul", "flat flat", (100,)),
    )
    assert found == {"w": (400, 0), "read": (0, 0), "flat": (0, 0), "shape": (4, 0), "y": (0, 400)}


def test_a_resource_variable_is_resident_where_its_handle_is_made() -> None:
    found = held(
        node("w", "VarHandleOp", "", (), shape=Shape((10, 10)), dtype=FLOAT),
        node("read", "ReadVariableOp", "w", (10, 10)),
        node("y", "Relu", "read", (10, 10)),
    )
    assert found == {"w": (400, 0), "read": (0, 0), "y": (0, 400)}


def test_a_variable_from_outside_is_as_large_as_what_is_read_from_it() -> None:
    found = held(
        node("w", "_Arg", "", (), T=RESOURCE),
        node("read", "ReadVariableOp", "w", (10, 10)),
        node("y", "Relu", "read", (10, 10)),
    )
    assert found["w"] == (400, 0)


def test_a_view_of_an_activation_counts_as_a_buffer() -> None:
    found = held(
        node("x", "Placeholder", "", (10, 10)),
        node("a", "Relu", "x", (10, 10)),
        node("flat", "Reshape", "a", (100,)),
        node("y", "Relu", "flat", (100,)),
    )
    assert {name: output for name, (_, output) in found.items()} == {"x": 400, "a": 400, "flat": 400, "y": 400}


@pytest.mark.parametrize(("dtype", "nbytes"), [(1, 400), (19, 200), (2, 800), (9, 800), (10, 100)])
def test_sizes_follow_the_type(dtype: int, nbytes: int) -> None:
    variable = node("w", "VariableV2", "", (10, 10), shape=Shape((10, 10)), dtype=DType(dtype))
    assert held(variable, node("y", "Identity", "w", (10, 10)))["w"] == (nbytes, 0)
