"""Methods as a whole, the search among them: what they return keeps every limit, or they say that it cannot be done."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pardnn.errors import DoesNotFit, InputError
from pardnn.methods import method, summaries
from pardnn.registry import partitioners
from tests.factories import layered
from tests.oracle import fits
from tests.strategies import problems


@pytest.mark.slow
@pytest.mark.parametrize("name", summaries())
@given(data=st.data())
def test_every_method_keeps_pins_groups_and_limits_or_says_it_does_not_fit(name: str, data: st.DataObject) -> None:
    problem = data.draw(problems(limited=True))
    try:
        placement = method(name, "fast")(problem, np.random.default_rng(0))
    except DoesNotFit:
        return
    assert (problem.settle(placement) == placement).all()
    assert fits(problem, placement)


def test_auto_is_never_slower_than_any_other_method() -> None:
    problem = layered().problem(gpus=3)
    found = {
        name: problem.simulate(method(name)(problem, np.random.default_rng(0))).makespan_ns
        for name in ("auto", *partitioners.all())
    }
    assert found["auto"] == min(found.values())


def test_an_unknown_method_is_answered_with_those_there_are() -> None:
    with pytest.raises(InputError, match="there are: auto, exact, chunks"):
        method("nosuch")
