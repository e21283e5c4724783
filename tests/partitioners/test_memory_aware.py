"""m-ETF, m-SCT and m-HEFT: what memory changes, and that nothing changes without limits."""

from typing import Any

import numpy as np
import pytest

from pardnn.partitioners.etf import Etf
from pardnn.partitioners.heft import Heft
from pardnn.partitioners.m_etf import MemoryEtf
from pardnn.partitioners.m_heft import MemoryHeft
from pardnn.partitioners.m_sct import MemorySct, _relaxed
from scheduler.machine import UNLIMITED
from tests.factories import drawn, layered

RNG = np.random.default_rng(0)
NONE: dict[str, Any] = {"order": "blevel", "contention": "none"}


@pytest.mark.parametrize(("aware", "plain"), [(MemoryEtf(), Etf()), (MemoryHeft(), Heft())])
def test_without_limits_they_are_the_plain_methods(aware: Any, plain: Any) -> None:
    problem = layered().problem(gpus=3, memory=UNLIMITED, **NONE)
    assert aware(problem, RNG).tolist() == plain(problem, RNG).tolist()


@pytest.mark.parametrize("method", [MemoryEtf(), MemoryHeft(), MemorySct()])
def test_a_full_device_takes_no_more(method: Any) -> None:
    """A chain would stay on one device; its residents of 4 each do not fit there together."""
    placement = method(drawn("A-B-C-D", resident=[4] * 4).problem(memory=9, **NONE), RNG)
    assert sorted(placement.tolist()) == [0, 0, 1, 1]


def test_m_heft_gets_outputs_back_that_m_etf_counts_to_the_end() -> None:
    """Each output of 4 is read by the next node only: two of them are alive at once, never four."""
    problem = drawn("A-B:4 B-C:4 C-D:4", output=[4, 4, 4, 4]).problem(memory=9, **NONE)
    assert len(set(MemoryHeft()(problem, RNG).tolist())) == 1
    assert len(set(MemoryEtf()(problem, RNG).tolist())) == 2


def test_the_program_leaves_the_dearest_edge_unpaid() -> None:
    """A is read by B and C; only one may follow it: the one on the longer way to the end."""
    problem = drawn("A=1 B=9 C=1 A-B:5 A-C:5").problem(**NONE)
    paid = _relaxed(problem)
    assert paid[0] < 0.1
    assert paid[0] + paid[1] >= 1 - 1e-6


def test_on_large_graphs_the_dearest_edge_stands_for_the_program() -> None:
    problem = drawn("A=1 B=1 C=1 A-B:5 A-C:9").problem(gpus=2, **NONE)
    assert MemorySct(edges=1)._paid(problem).tolist() == [1, 0]


def test_a_favourite_child_follows_its_parent_and_groups_stay_whole() -> None:
    problem = drawn("A=1 B=5 C=5 A-B:9 A-C:3").problem(gpus=2, **NONE)
    placement = MemorySct()(problem, RNG)
    assert placement[0] == placement[1]
    grouped = drawn("A=1 B=5 C=5 A-B:9 A-C:3").problem(gpus=2, groups="AC", **NONE)
    placement = MemorySct()(grouped, RNG)
    assert placement[0] == placement[2]
