"""The memory that is named where nothing fits: how it is sought, and that what is named works as typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pardnn
from pardnn.errors import DoesNotFit
from pardnn.problem import Placement, Problem
from pardnn.refine.fit import Fit
from pardnn.remedy import _working
from pardnn.units import parse_size
from tests.factories import judged, layered


@pytest.mark.parametrize("least", [1000, 4321, 99_999])
def test_the_least_size_is_closed_in_on(least: int) -> None:
    """Within 2 % and the three digits that are typed; every size named was seen to work, the least comes first."""
    seen: dict[str, bool] = {}

    def works(mem: str) -> bool:
        seen[mem] = parse_size(mem) >= least
        return seen[mem]

    found = _working(works, 1000, 100_000, steps=10)
    assert found == sorted(found, key=parse_size)
    assert all(seen[mem] for mem in found)
    assert least <= parse_size(found[0]) <= 1.03 * least + 10


def test_where_the_bound_itself_works_nothing_else_is_tried() -> None:
    tried: list[str] = []
    assert _working(lambda mem: not tried.append(mem), 1000, 100_000, steps=6) == ["1kB"]  # type: ignore[func-returns-value]
    assert tried == ["1kB"]


def test_nothing_is_named_where_nothing_works() -> None:
    assert _working(lambda mem: False, 1000, 2000, steps=6) == []


def test_a_small_graph_is_answered_in_few_runs_and_what_is_named_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "g.json"
    path.write_text(json.dumps(judged(layered(7, 3).workload())))
    options: dict[str, Any] = {"gpus": 2, "method": "heft"}
    runs: list[int] = []
    fits = Fit.__call__

    def counted(self: Fit, problem: Problem, placement: Placement, rng: np.random.Generator) -> Placement:
        runs.append(self.trials)
        return fits(self, problem, placement, rng)

    monkeypatch.setattr(Fit, "__call__", counted)
    with pytest.raises(DoesNotFit) as told:
        pardnn.partition(path, **options, mem=330)
    assert runs.count(Fit.trials) == 2, "only the run that was asked for and the last one make all efforts"
    assert len(runs) <= 2 + 1 + 1 + 4 + 6
    typed = str(told.value).partition("mem=")[2].split()[0].strip('"')
    assert pardnn.partition(path, **options, mem=typed).fits
