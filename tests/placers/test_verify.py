"""What was read back held against a plan; the device names are TensorFlow's to compare."""

from importlib.util import find_spec

import pytest

from pardnn.placers.verify import ReadBack, Verified, compare, together

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("tensorflow") is None, reason="comparing devices needs tensorflow"),
]
ONE, TWO = "/device:CPU:1", "/device:CPU:2"
KINDS = {"a": "MatMul", "loop": "While"}


def verified(*ran: tuple[str, str, str]) -> Verified:
    placed = {"a": ONE, "loop": ONE, "if/then/b": TWO, "if/then/inner": TWO}
    full = [(f"step/{name}", op, f"/job:localhost/replica:0/task:0{device}") for name, op, device in ran]
    return compare(ReadBack([full]), placed, KINDS)


def test_ops_are_found_behind_the_prefix_of_the_step() -> None:
    found = verified(("a", "MatMul", ONE), ("if/then/b", "Mul", ONE), ("else", "Mul", TWO))
    assert (found.checked, found.gone, found.ok) == (1, 2, False)
    assert found.moved == {"if/then/b": (TWO, f"/job:localhost/replica:0/task:0{ONE}")}


def test_ops_of_a_loop_belong_to_it_also_where_the_loop_is_in_a_body() -> None:
    found = verified(
        ("a", "MatMul", ONE), ("loop/body/x", "Mul", ONE), ("if/then/inner/body/x", "Mul", TWO),
        ("if/then/inner/body/y", "Mul", ONE), ("a/x", "Mul", TWO),
    )  # fmt: skip
    assert found.checked == 3
    assert list(found.moved) == ["if/then/inner/body/y"]


def test_several_graphs_are_one_answer() -> None:
    one = Verified(3, {}, (), 1, 2)
    other = Verified(4, {"a": (ONE, TWO)}, ("b",), 0, 1)
    assert together([one, other]) == Verified(7, {"a": (ONE, TWO)}, ("b",), 1, 3)
    assert one.ok
    assert not together([one, other]).ok
