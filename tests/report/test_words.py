"""Figures and names in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pardnn.report.words import ascii_only, bar, count, percent, safe, shorten


@pytest.mark.parametrize(("number", "text"), [(0, "0 ops"), (1, "1 op"), (1234567, "1,234,567 ops")])
def test_counts_have_their_plural(number: int, text: str) -> None:
    assert count(number, "op") == text


@pytest.mark.parametrize(
    ("ratio", "text"), [(0.0, "0.0 %"), (0.0994, "9.9 %"), (0.0996, "10 %"), (-0.5, "-50 %"), (12, "1200 %")]
)
def test_percents_have_a_digit_where_it_matters(ratio: float, text: str) -> None:
    assert percent(ratio) == text


@given(st.floats(-1, 3))
def test_a_bar_is_always_as_long(share: float) -> None:
    assert len(bar(share)) == 10
    assert ascii_only(bar(share)).isascii()


@given(st.text())
def test_a_name_is_one_printable_line(text: str) -> None:
    shown = safe(text)
    assert shown.isprintable()
    assert "\n" not in shown
    if text.isprintable():
        assert shown == text


@given(st.text(), st.integers(4, 80))
def test_a_shortened_name_keeps_its_end(text: str, length: int) -> None:
    shown = shorten(text, length)
    assert len(shown) <= length or shown == text
    assert text.endswith(shown.removeprefix("...")) or shown == text
