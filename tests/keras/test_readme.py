"""What the README says of live models runs as it stands there."""

from typing import Any

import pytest

from tests.keras.test_place import answers, pytestmark  # noqa: F401 - the same conditions


@pytest.fixture(scope="module")
def said() -> list[Any]:
    return list(answers("readme"))


def test_the_examples_on_models_functions_and_graphs_are_verified(said: list[Any]) -> None:
    model, function, graph, *_ = said
    for words, _ in (model, function, graph):
        assert "0 elsewhere than planned, 0 without a device" in words
    assert "ops placed" in model[0]


def test_the_examples_on_graphs_put_ops_on_four_devices(said: list[Any]) -> None:
    assert [spread for _, spread in said] == [0, 0, 4, 4, 4]
