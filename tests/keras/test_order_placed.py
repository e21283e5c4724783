"""`pardnn.place(..., control_edges=True)`: ops wait as the plan says, and the numbers stay."""

from tests.keras.test_place import answers, pytestmark  # noqa: F401 - the same conditions


def test_ops_wait_as_planned_and_numbers_stay() -> None:
    found = next(answers("order_placed"))
    for name, one in found.items():
        assert one["equal"], name
        assert one["ok"], name
        assert one["edges"] > 0, name
    assert found["graph"]["as_planned"]
    assert found["graph"]["removed"]
