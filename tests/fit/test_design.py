"""Which columns count, and how."""

import numpy as np
import pytest

from pardnn.errors import InputError
from pardnn.fit.design import Asked, Assumed, Design, design, target_of
from pardnn.fit.table import parse_table

HEAD = "hosts,cards,gpus,card,note,time\n"
ROWS = [(h, c, h * c, "ab"[c == 4], 7, h + c) for h in (1, 2, 4) for c in (2, 4, 8)]
TABLE = parse_table((HEAD + "\n".join(",".join(map(str, row)) for row in ROWS)).encode(), "runs.csv")


def test_all_columns_count_but_those_that_tell_nothing_or_nothing_new() -> None:
    found, notes = design(TABLE, Asked("time"))
    assert [power.name for power in found.powers] == ["hosts", "cards"]
    assert [(kind.name, kind.levels) for kind in found.kinds] == [("card", ("a", "b"))]
    assert notes == (
        "runs.csv: column 'note' is 7 in all rows and tells nothing: left out",
        "runs.csv: column 'gpus' follows from 'hosts', 'cards' in all rows: left out",
    )


def test_features_are_logarithms_about_their_mean_and_levels_0_or_1() -> None:
    found, _ = design(TABLE, Asked("time"))
    features = found.encode(TABLE)
    assert np.allclose(features[:, :2].mean(axis=0), 0)
    assert np.allclose(np.exp(features[:, 1]) * found.powers[1].centre, TABLE.numbers("cards"))
    assert features[:, 2].tolist() == [float(row[3] == "b") for row in ROWS]


def test_named_columns_are_the_only_ones() -> None:
    found, notes = design(TABLE, Asked("time", intrinsic=("cards",), extrinsic=("gpus",)))
    assert [(power.name, power.role) for power in found.powers] == [("cards", "intrinsic"), ("gpus", "extrinsic")]
    assert not notes


def test_a_row_beyond_the_range_is_told_by_column() -> None:
    found, _ = design(TABLE, Asked("time"))
    new = parse_table(b"hosts,cards,card\n8,2,a\n2,4,b\n", "new.csv")
    assert found.outside(new) == [["hosts"], []]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (
            Asked("time", intrinsic=("cards",), extrinsic=("cards",)),
            "column 'cards' is named by --intrinsic and by --ext",
        ),
        (Asked("time", intrinsic=("time",)), "column 'time' is named by --intrinsic and by --target"),
        (Asked("time", intrinsic=("card",)), "runs.csv:2: column 'card': 'a' is no number"),
        (Asked("time", intrinsic=("note",)), "no column is left that could drive 'time'"),
        (Asked("tim"), "runs.csv:1: no column 'tim'; did you mean 'time'?"),
    ],
)
def test_columns_that_cannot_be_used_are_told(asked: Asked, told: str) -> None:
    with pytest.raises(InputError) as error:
        design(TABLE, asked)
    assert told in str(error.value)


def test_few_rows_zeros_and_names_are_told() -> None:
    cases: list[tuple[list[tuple[object, ...]], str]] = [
        ([*ROWS[:3]], "runs.csv: 3 rows: at least 8"),
        ([*ROWS, (0, 1, 1, "a", 7, 2)], "runs.csv:11: column 'hosts' is 0: powers need numbers above 0"),
        ([(*row[:4], f"n{i}", row[5]) for i, row in enumerate(ROWS)], "column 'note' holds text, 9 sorts in 9 rows"),
    ]
    for rows, told in cases:
        table = parse_table((HEAD + "\n".join(",".join(map(str, row)) for row in rows)).encode(), "runs.csv")
        with pytest.raises(InputError) as error:
            design(table, Asked("time"))
        assert told in str(error.value)


def test_a_target_is_above_0_and_no_constant() -> None:
    with pytest.raises(InputError, match="column 'note' is 7 in all rows: there is nothing to explain"):
        target_of(TABLE, "note")
    with pytest.raises(InputError, match=r"runs\.csv:3: column 'a' is -1: what is predicted must be above 0"):
        target_of(parse_table(b"a,b\n1,1\n-1,2\n", "runs.csv"), "a")


def test_absurd_numbers_are_told_before_they_overflow() -> None:
    for cell in (b"1e-308", b"1e308"):
        with pytest.raises(InputError, match=r"runs\.csv:3: column 'a' is 1e[+-]308: not from 1e-100 to 1e\+100"):
            target_of(parse_table(b"a,b\n1,1\n" + cell + b",2\n", "runs.csv"), "a")
    one = Design("time", (), (), (Assumed("a", 1e9, 1.0),))
    with pytest.raises(InputError, match=r"runs\.csv: --assume a=1e\+09: "):
        one.scale(parse_table(b"a,b\n1,1\n2,2\n", "runs.csv"))
