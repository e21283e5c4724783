"""A law that is known is found again, with intervals that hold it."""

import itertools
import math

import numpy as np
import pytest

from pardnn.errors import InputError
from pardnn.fit.design import Asked
from pardnn.fit.expression import Expression
from pardnn.fit.fitting import Fitted, fit
from pardnn.fit.model import read_model
from pardnn.fit.polish import cost, polish
from pardnn.fit.table import parse_table
from pardnn.fit.words import explain, terms
from tests.fit.drawn import BATCHES, CARDS, GPUS, LAYERS, law, runs

TABLE = parse_table(runs(noise=0.03).encode(), "runs.csv")
ASKED = Asked("time", intrinsic=("layers",), extrinsic=("gpus", "batch"), categorical=("card",))


@pytest.fixture(scope="module")
def fitted() -> Fitted:
    return fit(TABLE, ASKED)


def test_the_powers_of_the_law_are_found_within_their_intervals(fitted: Fitted) -> None:
    assert fitted.model.expression.terms == 1
    (term,) = terms(fitted.model, fitted.model.design.encode(TABLE))
    for name, true in {"layers": 1.1, "gpus": -1.0, "batch": 0.9}.items():
        figure = term["powers"][name]
        assert figure["low"] - 0.02 <= true <= figure["high"] + 0.02
        assert figure["high"] - figure["low"] < 0.2
    assert term["levels"]["card=v100"]["value"] == pytest.approx(0.5, rel=0.03)


def test_errors_are_those_of_the_noise(fitted: Fitted) -> None:
    assert 0.005 < fitted.fit_error < 0.02
    assert fitted.fit_error < fitted.model.error < 0.03
    assert fitted.linear_error > 10 * fitted.model.error


def test_words_say_what_doubling_does(fitted: Fitted) -> None:
    by_column = {row["column"]: row for row in explain(fitted.model, fitted.model.design.encode(TABLE))}
    doubled = [law(n, 2 * g, b, c) / law(n, g, b, c) for n, g, b, c in itertools.product(LAYERS, GPUS, BATCHES, CARDS)]
    assert by_column["gpus"]["times"] == pytest.approx(np.exp(np.log(doubled).mean()), abs=0.01)
    assert by_column["gpus"]["words"].startswith("doubling gpus multiplies the time by 0.5")
    assert by_column["card=v100"]["words"].endswith("times as long as k80")
    assert by_column["layers"]["low"] <= by_column["layers"]["times"] <= by_column["layers"]["high"]


def test_new_rows_lie_in_their_intervals(fitted: Fitted) -> None:
    new = parse_table(b"layers,gpus,batch,card\n3,2,32,v100\n8,1,64,k80\n16,4,16,k80\n", "new.csv")
    found = fitted.model.predict(new)
    true = np.array([law(3, 2, 32, "v100"), law(8, 1, 64, "k80"), law(16, 4, 16, "k80")])
    assert (found.low < true).all()
    assert (true < found.high).all()
    assert (found.high / found.low < 1.25).all()
    assert found.outside == [[], [], ["layers"]]


def test_a_model_read_back_predicts_the_same(fitted: Fitted) -> None:
    written = fitted.model.to_json()
    again = read_model(written, "model.json")
    assert again.to_json() == written
    assert np.allclose(again.predict(TABLE).value, fitted.model.predict(TABLE).value, rtol=1e-8)


@pytest.mark.parametrize("data", [b"", b"[]", b'{"format": "pardnn-fit/1"}', b'{"format": "other"}'])
def test_what_is_no_model_is_told(data: bytes) -> None:
    with pytest.raises(InputError, match=r"model\.json: is"):
        read_model(data, "model.json")


def test_equal_tables_give_equal_models() -> None:
    one, other = (fit(TABLE, ASKED, terms=1, seed=3).model.to_json() for _ in range(2))
    assert one == other


def test_too_many_products_for_the_rows_are_refused() -> None:
    with pytest.raises(InputError, match="--terms 9 with 4 columns are 46 constants, too many for 54 rows: 3 at most"):
        fit(TABLE, ASKED, terms=9)


def test_late_at_once_still_gives_a_model() -> None:
    found = fit(TABLE, ASKED, late=lambda: True)
    assert found.model.expression.terms == 1
    assert not found.model.draws
    assert all(
        math.isnan(row["low"] or math.nan)
        for row in terms(found.model, found.model.design.encode(TABLE))[0]["powers"].values()
    )


def test_polishing_never_makes_worse() -> None:
    rng = np.random.default_rng(0)
    features, target = rng.normal(size=(40, 3)), np.exp(rng.normal(size=40))
    for _ in range(5):
        start = Expression(0.0, rng.normal(size=2), rng.normal(size=(2, 3)))
        weight = rng.uniform(size=40)
        found = polish(start, features, target, weight)
        assert cost(found, features, target, weight) <= cost(start, features, target, weight)


def test_a_power_that_is_told_carries_over_to_rows_unlike_those_learned_from() -> None:
    lines = runs().splitlines()
    table = parse_table("\n".join([f"{lines[0]},tokens", *(f"{line},512" for line in lines[1:])]).encode(), "runs.csv")
    new = parse_table(b"layers,gpus,batch,card,tokens\n4,2,16,k80,512\n4,2,16,k80,1024\n", "new.csv")
    found = fit(table, Asked("time", categorical=("card",), assume=(("tokens", 1.0),)), terms=1)
    assert not found.notes
    once, twice = read_model(found.model.to_json(), "model.json").predict(new).value
    assert once == pytest.approx(law(4, 2, 16, "k80"), rel=0.01)
    assert twice == pytest.approx(2 * once)
