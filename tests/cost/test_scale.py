"""The factor from roofline to machine, learned from what was measured."""

import numpy as np

from pardnn.cost.scale import ENOUGH, scales


def of(rows: list[tuple[str, int, int]]) -> tuple[list[float], float]:
    """(type, predicted, measured; -1 = not measured)."""
    measured, predicted = (np.array([r[i] for r in rows], np.int64) for i in (2, 1))
    found, overall = scales(measured, predicted, measured >= 0, [r[0] for r in rows])
    return found.tolist(), overall


def test_large_ops_decide_and_one_wild_one_changes_nothing() -> None:
    rows = [("A", 1000, 3000), ("A", 900, 2700), ("B", 800, 2400), ("C", 950, 950_000), *[("N", 1, 70)] * 50]
    assert of([*rows, ("Z", 10, -1)])[1] == 3.0


def test_a_type_with_enough_rows_has_a_factor_of_its_own() -> None:
    rows = [("A", 1000, 3000), *[("B", 10, 80)] * ENOUGH, ("B", 10, -1), *[("C", 10, 50)] * (ENOUGH - 1), ("C", 10, -1)]
    factors, overall = of(rows)
    assert overall == 3.0
    assert factors[-1] == 3.0  # one row too few
    assert factors[ENOUGH + 1] == 8.0


def test_nothing_measured_leaves_the_roofline_as_it_is() -> None:
    assert of([("A", 10, -1), ("B", 0, 5)]) == ([1.0, 1.0], 1.0)
