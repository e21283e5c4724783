"""A table is read whole, or refused in a line that names file, line and column."""

import pytest

from pardnn.errors import InputError
from pardnn.fit.table import parse_table


def refused(text: bytes) -> str:
    with pytest.raises(InputError) as error:
        parse_table(text, "runs.csv").numbers("a")
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_cells_are_parted_by_what_the_header_uses(sign: str) -> None:
    table = parse_table(f"a{sign}b b\n1{sign}x y\n\n 2 {sign}z\n".encode("utf-8-sig"), "runs.csv")
    assert table.names == ("a", "b b")
    assert table.numbers("a").tolist() == [1, 2]
    assert table.column("b b") == ["x y", "z"]
    assert table.lines == (2, 4)


def test_a_quoted_cell_over_two_lines_leaves_later_line_numbers_right() -> None:
    table = parse_table(b'a,b\n1,"x\ny"\n2,z\n', "runs.csv")
    assert table.lines == (2, 4)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"", "runs.csv: is empty"),
        (b" \n\n", "runs.csv: is empty"),
        (b"a,b\n", "runs.csv: has column names but no rows"),
        (b"a,a\n1,2\n", "runs.csv:1: two columns are called 'a'"),
        (b"a,\n1,2\n", "runs.csv:1: column 2 has no name"),
        (b"1,2\n3,4\n", "runs.csv:1: the first line holds numbers"),
        (b"a,b\n1,2\n1\n", "runs.csv:3: has 1 cells where the table has 2 columns"),
        (b"a,b\n1,2\nmany,2\n", "runs.csv:3: column 'a': 'many' is no number"),
        (b"a,b\ninf,2\n", "runs.csv:2: column 'a': 'inf' is no number"),
        (b"a,b\n1,2\nNA,2\n", "runs.csv:3: column 'a' has no value ('NA')"),
        (b"a,b\n1,2\n,2\n", "runs.csv:3: column 'a' has no value ('')"),
        (b"ab,b\n1,2\n", "runs.csv:1: no column 'a'; did you mean 'ab'?; there are: 'ab', 'b'"),
        (b"\xff\xd8", "runs.csv: byte 0 is no UTF-8 text"),
        (b'a,b\n1,"2\n', "runs.csv:2: is no CSV"),
    ],
)
def test_what_is_no_table_is_told(text: bytes, told: str) -> None:
    assert refused(text).startswith(told)
