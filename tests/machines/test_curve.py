"""Times read off between measured ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pardnn.machines.curve import Curve

POINTS = [(1000, 10.0), (4000, 20.0), (16_000, 80.0)]


def test_a_measured_size_takes_what_was_measured() -> None:
    assert [Curve.of(POINTS)(size) for size, _ in POINTS] == pytest.approx([ns for _, ns in POINTS])


def test_between_two_sizes_it_is_straight_in_logarithms() -> None:
    assert Curve.of(POINTS)(2000) == pytest.approx(10 * 2**0.5)


def test_beyond_the_ends() -> None:
    """Below, latency is left; above, the rate from half of the largest size on: 60 ns for 12,000 bytes."""
    assert Curve.of(POINTS)(1) == 10
    assert Curve.of(POINTS)(28_000) == pytest.approx(80 + 60)


def test_of_several_times_for_a_size_the_middle_one_counts() -> None:
    assert Curve.of([*POINTS, (1000, 900.0), (1000, 11.0)])(1000) == 11


@given(st.lists(st.integers(1, 10**9), min_size=2, max_size=20, unique=True), st.integers(1, 10**10))
def test_what_is_a_power_of_the_size_stays_one(sizes: list[int], size: int) -> None:
    curve = Curve.of([(s, 3.0 * s**0.5) for s in sizes])
    if min(sizes) <= size <= max(sizes):
        assert curve(size) == pytest.approx(3.0 * size**0.5)
