"""Tables in little room: names give way, figures never."""

from __future__ import annotations

import pytest

from pardnn.report.layout import plain, table

HEADS = ("op", "type", "time", "workspace")
ROWS = [("scope_one/scope_two/convolution", "Conv2DBackpropFilter", "25.1 ms", "2.30 GiB")]


def drawn(width: int, fold: tuple[str, ...] = ()) -> list[str]:
    return plain(table(HEADS, ROWS, left=("op", "type"), fold=fold), width=width).splitlines()


def whole(column: int, lines: list[str]) -> str:
    """What stands in a column of the row, its lines joined."""
    begin = [lines[0].index(head) for head in HEADS[:2]] + [10**6]
    return "".join(line[begin[column] : begin[column + 1]].strip() for line in lines[1:])


def test_with_room_a_row_is_a_line() -> None:
    assert drawn(80) == [
        "op                               type                     time  workspace",
        "scope_one/scope_two/convolution  Conv2DBackpropFilter  25.1 ms   2.30 GiB",
    ]


@pytest.mark.parametrize("width", [72, 60, 50, 42])
def test_names_break_and_figures_stay(width: int) -> None:
    lines = drawn(width)
    assert max(map(len, lines)) <= width
    assert lines[1].endswith("25.1 ms   2.30 GiB")
    assert whole(0, lines) == ROWS[0][0]


def test_texts_break_before_names() -> None:
    lines = drawn(60, fold=("op",))
    assert lines[1].endswith("Conv2DBackpropFilter  25.1 ms   2.30 GiB")
    assert whole(0, lines) == ROWS[0][0]


@pytest.mark.parametrize("width", [36, 30, 24])
def test_in_the_least_room_nothing_is_cut_off(width: int) -> None:
    lines = drawn(width)
    assert max(map(len, lines)) <= width
    signs = sorted("".join(lines).replace(" ", ""))
    assert signs == sorted("".join((*HEADS, *ROWS[0])).replace(" ", ""))
