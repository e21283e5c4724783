import pytest
from hypothesis import given
from hypothesis import strategies as st

from pardnn.errors import InputError
from pardnn.graph.raw import RawNode
from pardnn.graph.wiring import CONTROL, shortened, split_input, wire
from tests.graph.drawn import wired


def edges(text: str) -> list[tuple[str, int, str]]:
    wiring = wired(text)
    columns = zip(wiring.src.tolist(), wiring.port.tolist(), wiring.dst.tolist(), strict=True)
    return [(wiring.nodes[u].name, port, wiring.nodes[v].name) for u, port, v in columns]


def test_one_value_consumed_in_three_spellings_is_one_edge_and_absorbs_the_control_edge() -> None:
    assert edges("x = Placeholder()\ns = Split(x, x:0, ^x)\ni = Identity(s:1)") == [("x", 0, "s"), ("s", 1, "i")]


def test_two_ports_of_one_producer_are_two_edges() -> None:
    assert edges("s = Split()\na = AddV2(s, s:1)") == [("s", 0, "a"), ("s", 1, "a")]


def test_a_control_edge_stays_where_no_data_goes_the_same_way() -> None:
    assert edges("a = NoOp()\nb = NoOp(^a, ^a)") == [("a", CONTROL, "b")]


def test_arguments_keep_their_order_and_repeats() -> None:
    assert wired("x = Const()\ny = Const()\nm = Mul(x, y:0, x, ^y)").inputs[2] == ((0, 0), (1, 0), (0, 0))


def test_producers_may_stand_behind_their_consumers() -> None:
    assert edges("b = Neg(a)\na = Const()") == [("a", 0, "b")]


def test_a_name_with_a_colon_that_ends_in_no_number_is_a_name() -> None:
    assert split_input("scope:a") == ("scope:a", 0)
    assert split_input("a:12") == ("a", 12)


def test_a_name_twice_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="node 'a' occurs twice"):
        wired("a = Const()\nb = Const()\na = Const()")


def test_a_missing_input_is_refused_naming_node_and_input() -> None:
    with pytest.raises(InputError, match=r"node 'b' has an input '\^ghost', but the graph has no node 'ghost'"):
        wired("b = NoOp(^ghost)")


def test_a_port_that_no_op_can_have_is_refused() -> None:
    with pytest.raises(InputError, match="'a:70000', but no op has so many outputs"):
        wired("a = Const()\nb = Neg(a:70000)")
    with pytest.raises(InputError, match="but no op has so many outputs"):
        wired(f"a = Const()\nb = Neg(a:{'9' * 5000})")


def test_a_long_name_is_shortened_in_messages_only_and_keeps_both_ends() -> None:
    assert shortened("x" * 80) == "x" * 80
    short = shortened("a" * 4000 + "z")
    assert len(short) <= 80
    assert short.startswith("aaa")
    assert short.endswith("z")


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(-1, 3)), max_size=12))
def test_edges_are_the_distinct_inputs_and_controls_only_without_data(inputs: list[tuple[int, int]]) -> None:
    texts = tuple(f"^n{u}" if port < 0 else f"n{u}:{port}" for u, port in inputs)
    wiring = wire([*(RawNode(f"n{i}", "Const") for i in range(10)), RawNode("v", "Op", texts)])
    found = set(zip(wiring.src.tolist(), wiring.port.tolist(), strict=True))
    data = {(u, port) for u, port in inputs if port >= 0}
    fed = {u for u, _ in data}
    assert found == data | {(u, CONTROL) for u, port in inputs if port < 0 and u not in fed}
    assert len(found) == len(wiring.src)
