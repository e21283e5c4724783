"""Which blocks to run again: the cheapest that are enough."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pardnn.optimize.choose import Figures, choose

pytestmark = pytest.mark.slow  # CP-SAT: see CONTRIBUTING.md
SMALL = st.integers(0, 9)
FIGURES = st.builds(Figures, SMALL, SMALL, SMALL, SMALL, SMALL)


def most(blocks: list[Figures], again: tuple[bool, ...]) -> int:
    held, found = 0, 0
    for block, x in zip(blocks, again, strict=True):
        held += block.kept + (block.extra if x else block.saved)
        found = max(found, held + block.during * x)
    return found


@given(st.lists(FIGURES, min_size=1, max_size=5), st.sampled_from([0.0, 0.5, 1.0]))
def test_the_choice_is_the_best_of_all(blocks: list[Figures], share: float) -> None:
    ways = list(product([False, True], repeat=len(blocks)))
    full = most(blocks, ways[0])
    least = min(most(blocks, way) for way in ways)
    limit = round(least + share * (full - least))
    cheapest = min(
        sum(b.time_ns for b, x in zip(blocks, w, strict=True) if x) for w in ways if most(blocks, w) <= limit
    )
    picked = choose(blocks, share)
    way = tuple(i in picked for i in range(len(blocks)))
    assert most(blocks, way) <= limit
    assert sum(blocks[i].time_ns for i in picked) == cheapest


def test_what_saves_little_is_left_alone() -> None:
    blocks = [Figures(1, 10, 0, 12, 5), Figures(1, 10, 0, 12, 5), Figures(1, 4, 0, 6, 1)]
    assert choose(blocks, 0.0) == (0, 1)
    assert choose(blocks, 1.0) == ()


def test_bytes_beyond_what_the_solver_counts_are_rounded() -> None:
    large = [Figures(2**50, 2**55, 0, 2**55, 5)] * 3
    assert choose(large, 0.0) in ((0, 1), (0, 2), (1, 2))
    assert choose(large, 1.0) == ()
