"""Finished cells on the disk: found again, or taken for absent."""

from __future__ import annotations

from pathlib import Path

import pytest

from pardnn.errors import InputError
from pardnn.experiments.outcome import Outcome
from pardnn.experiments.store import Store

OUTCOME = Outcome("ab" * 32, "done", None, {"makespan_us": 0.1, "gap": None}, {"read": 1.5})


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(tmp_path / "out")
    with store.alone():
        store.put(OUTCOME)
    return store


def test_an_outcome_is_found_again(store: Store) -> None:
    assert Store(store.folder).get(OUTCOME.key) == OUTCOME
    assert store.get("cd" * 32) is None


@pytest.mark.parametrize("change", [("done", "fine"), ("pardnn-cell/1", "x"), ("abab", "abac"), ('"seconds"', '"s"')])
def test_a_damaged_file_is_no_outcome(store: Store, change: tuple[str, str]) -> None:
    path = store.folder / "cells" / f"{OUTCOME.key}.json"
    path.write_text(path.read_text().replace(*change))
    assert store.get(OUTCOME.key) is None


def test_a_file_cut_off_is_no_outcome(store: Store) -> None:
    path = store.folder / "cells" / f"{OUTCOME.key}.json"
    path.write_bytes(path.read_bytes()[:-9])
    assert store.get(OUTCOME.key) is None


def test_two_sweeps_do_not_share_a_folder_at_once(store: Store) -> None:
    with store.alone(), pytest.raises(InputError, match="another sweep is at work"), Store(store.folder).alone():
        pass
    with store.alone():
        pass


def test_what_a_kill_left_half_written_is_taken_away(store: Store) -> None:
    left = store.folder / "cells" / ".pardnn-0123.tmp"
    left.write_text("{")
    with store.alone():
        assert not left.exists()


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(InputError, match="holds no sweep"):
        Store(tmp_path)
