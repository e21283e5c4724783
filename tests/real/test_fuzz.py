"""Damaged files end with 0, 2 or 3 and one line. What once did not is a test beside the code it was in."""

import random

from tests.real.fuzz import run
from tests.real.mutate import damaged, damaged_json
from tests.real.samples import cost_graph, graphs

COUNT = 500


def test_damage_is_the_same_for_the_same_seed() -> None:
    whole = graphs()[0].data
    assert damaged(whole, random.Random(5)) == damaged(whole, random.Random(5))
    assert len({damaged(whole, random.Random(seed)) for seed in range(50)}) > 45
    costs = cost_graph().data
    assert len({damaged_json(costs, random.Random(seed)) for seed in range(50)}) > 45


def test_hundreds_of_damaged_files_end_as_they_must() -> None:
    """Some 15 s, yet not marked slow: every change is to stand it."""
    tally = run(graphs(), cost_graph(), range(COUNT), None)
    assert tally.faults == []
    assert tally.codes.keys() <= {0, 2, 3}
    assert tally.codes.total() == COUNT
    assert min(tally.codes[0], tally.codes[2]) > COUNT // 10
