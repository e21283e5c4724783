"""One cell carried out: figures, or the reason why there are none; nothing is raised."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from pardnn.config import Options
from pardnn.experiments import outcome
from pardnn.experiments.cell import Cell
from pardnn.experiments.files import Digests
from pardnn.experiments.outcome import carry_out


def cell(graph: Path, **asked: object) -> Cell:
    return Cell.of(graph.name, graph.parent, Options.of(**{"gpus": 2, "method": "heft", **asked}), Digests())


def test_the_figures_are_those_of_the_command(diamond: Path) -> None:
    found = carry_out(cell(diamond))
    assert (found.status, found.error, found.lasting) == ("done", None, True)
    assert (found.figures["makespan_us"], found.figures["fits"], found.figures["nodes"]) == (530.084, True, 4)
    assert "seconds" not in found.figures
    assert found.seconds["partition"] >= 0


def test_what_does_not_fit_is_an_outcome(diamond: Path) -> None:
    found = carry_out(cell(diamond, mem="3kB"))
    assert (found.status, found.figures, found.lasting) == ("does not fit", {}, True)
    assert found.error
    assert str(diamond.parent) not in found.error


@pytest.mark.parametrize("asked", [{"machine": "none.toml"}, {"machine": "dgx2-v100", "gpus": 99}, {"pin": "pins"}])
def test_bad_input_is_an_outcome_that_names_files_as_the_sweep_does(diamond: Path, asked: dict[str, object]) -> None:
    found = carry_out(cell(diamond, **asked))
    assert (found.status, found.lasting) == ("bad input", True)
    assert found.error
    assert str(diamond.parent) not in found.error


def test_a_missing_graph_is_an_outcome_and_is_tried_again_once_it_is_there(diamond: Path, tmp_path: Path) -> None:
    before = cell(tmp_path / "later.json")
    assert carry_out(before).error == "later.json: cannot be read: No such file or directory"
    (tmp_path / "later.json").write_bytes(diamond.read_bytes())
    after = cell(tmp_path / "later.json")
    assert (carry_out(after).status, after.key == before.key) == ("done", False)


def test_a_graph_that_changes_meanwhile_is_not_taken_for_the_old_one(diamond: Path) -> None:
    asked = cell(diamond)
    diamond.write_text(diamond.read_text() + "\n")
    found = carry_out(asked)
    assert (found.status, found.lasting) == ("failed", False)
    assert found.error
    assert "has changed since the sweep began" in found.error


def test_a_worker_of_another_version_says_so(diamond: Path) -> None:
    found = carry_out(replace(cell(diamond), version="0.0.1"))
    assert (found.status, found.lasting) == ("failed", False)
    assert "the sweep 0.0.1: install the same" in (found.error or "")


def test_a_bug_is_an_outcome_that_is_tried_again(diamond: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("by\nzero")

    monkeypatch.setattr(outcome, "answer", broken)
    found = carry_out(cell(diamond))
    assert (found.status, found.error, found.lasting) == ("failed", "ZeroDivisionError: by zero", False)
