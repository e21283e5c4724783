"""`pardnn fit` as it is used."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Program
from tests.fit.drawn import runs

QUICK = ("--target", "time", "--terms", 1, "--categorical", "card")


@pytest.fixture
def table(tmp_path: Path) -> str:
    (tmp_path / "runs.csv").write_text(runs(noise=0.02))
    return "runs.csv"


def test_rows_listed_by_number_are_kept_out_and_scored(pardnn: Program, table: str, tmp_path: Path) -> None:
    (tmp_path / "rows.txt").write_text("0\n17\n33\n50\n")
    done = pardnn("fit", table, *QUICK, "--test-rows", "rows.txt", "-o", "out.csv", "--json")
    assert done.code == 0
    assert done.result["rows"] == 50
    assert done.result["test_on"] == "4 test rows"
    assert done.result["test_mape"] < 0.05
    assert len(done.result["terms"]) == 1
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text())))
    given = (tmp_path / table).read_text().splitlines()
    assert [row["time"] for row in rows] == [given[1 + i].split(",")[-1] for i in (0, 17, 33, 50)]
    error = [abs(float(row["predicted"]) / float(row["time"]) - 1) for row in rows]
    assert np.mean(error) == pytest.approx(done.result["test_mape"], rel=1e-4)


def test_rows_of_a_file_need_no_target(pardnn: Program, table: str, tmp_path: Path) -> None:
    (tmp_path / "new.csv").write_text("batch,layers,gpus,card\n16,4,2,k80\n512,4,2,k80\n")
    done = pardnn("fit", table, *QUICK, "--test-rows", "new.csv", "-o", "out.csv")
    assert done.code == 0
    assert "1 of 2 rows are beyond what was learned from (batch 8 to 64)" in done.err
    assert (tmp_path / "out.csv").read_text().splitlines()[2].endswith(",batch")


@pytest.mark.parametrize(("held", "other", "advice"), [("1", "2", "; --assume more=POWER says it\n"), ("0", "1", "\n")])
def test_a_column_that_stood_still_is_told(
    pardnn: Program, table: str, tmp_path: Path, held: str, other: str, advice: str
) -> None:
    head, *lines = (tmp_path / table).read_text().splitlines()
    (tmp_path / table).write_text("\n".join([f"{head},more", *(f"{line},{held}" for line in lines)]))
    (tmp_path / "new.csv").write_text(f"{head},more\n{lines[0]},{other}\n")
    done = pardnn("fit", table, *QUICK, "--test-rows", "new.csv")
    told = f"column 'more' was {held} in all rows that were learned from, here it is {other}: "
    assert f"{told}what that does to the time is not known{advice}" in done.err


def test_rows_that_were_learned_from_are_no_test(pardnn: Program, table: str, tmp_path: Path) -> None:
    (tmp_path / "again.csv").write_text("\n".join((tmp_path / table).read_text().splitlines()[:4]) + "\n")
    done = pardnn("fit", table, *QUICK, "--test-rows", "again.csv", "--json")
    assert any("3 of its rows were learned from too" in line for line in done.result["warnings"])


def test_a_saved_model_predicts(pardnn: Program, table: str, tmp_path: Path) -> None:
    assert pardnn("fit", table, *QUICK, "--model", "m.json").code == 0
    done = pardnn("fit", "--use", "m.json", table, "-o", "out.csv", "--json")
    assert done.code == 0
    assert len(done.result["predictions"]) == 54
    assert done.result["test_mape"] < 0.03
    assert "beyond" in pardnn("fit", "--use", "m.json", table).out


def test_the_same_call_writes_the_same_bytes(pardnn: Program, table: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    asked = ("fit", table, *QUICK, "--model", "m.json", "--plot", "p.png", "--force", "--json")
    first, files = pardnn(*asked), [(tmp_path / name).read_bytes() for name in ("m.json", "p.png")]
    assert pardnn(*asked).out == first.out
    assert [(tmp_path / name).read_bytes() for name in ("m.json", "p.png")] == files


def test_the_time_limit_leaves_the_best_so_far(pardnn: Program, table: str) -> None:
    done = pardnn("fit", table, *QUICK, "--time-limit", "1ms", "--json")
    assert done.code == 4
    assert done.result["test_mape"] < 0.1
    assert any("time limit" in line for line in done.result["warnings"])


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("runs.csv",), "--target COLUMN is missing"),
        (("runs.csv", "--target", "tim"), "no column 'tim'; did you mean 'time'?"),
        (("runs.csv", "--target", "time", "--terms", "many"), "--terms many: is neither auto nor a number"),
        (("runs.csv", "--target", "time", "-o", "x.csv"), "-o holds predictions"),
        (("runs.csv", "--target", "time", "--assume", "batch"), "--assume batch: write COLUMN=POWER"),
        (("runs.csv", "--target", "time", "--assume", "time=1"), "column 'time' is named by --target and by --assume"),
        (
            ("runs.csv", "--target", "time", "--model", "runs.csv", "--force"),
            "runs.csv: is an input, and inputs are never overwritten",
        ),
        (("runs.csv", "--target", "time", "--model", "m", "--plot", "m"), "m: is named twice"),
        (("none.csv", "--target", "time"), "none.csv: cannot be read"),
        (("runs.csv", "--use", "runs.csv"), "runs.csv: is no JSON"),
        (("runs.csv", "--use", "runs.csv", "--target", "time"), "--target does not go with --use"),
        (("runs.csv", "--target", "time", "--test-rows", "far.txt"), "far.txt: row 99 is not in runs.csv"),
    ],
)
def test_wrong_use_is_one_line(
    pardnn: Program, table: str, tmp_path: Path, arguments: tuple[str, ...], told: str
) -> None:
    (tmp_path / "far.txt").write_text("99\n")
    done = pardnn("fit", *arguments)
    assert done.code == 2
    assert told in done.err
    assert done.err.count("\n") == 1
    assert not done.out


def test_rows_that_cannot_be_predicted_are_told_before_the_search(
    pardnn: Program, table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pardnn.fit.fitting.fit", lambda *_: pytest.fail("the search has begun"))
    (tmp_path / "new.csv").write_text("batch,layers,card\n16,4,k80\n")
    done = pardnn("fit", table, *QUICK, "--test-rows", "new.csv")
    assert done.code == 2
    assert "gpus" in done.err
    assert done.err.count("\n") == 1
