"""TF1: a graph placed before its session, a plan as a device function, a placed file imported: trained the same."""

from typing import Any

import pytest

from tests.keras.test_place import answers, pytestmark  # noqa: F401 - the same conditions

Facts = dict[str, Any]
GRAPHS = ("adam", "reference_variables", "repeated", "looped", "with_function")


@pytest.fixture(scope="module")
def told() -> dict[str, Facts]:
    return dict(answers("sessions"))


@pytest.mark.parametrize("graph", GRAPHS)
def test_a_placed_graph_trains_the_same_with_every_op_on_its_device(told: dict[str, Facts], graph: str) -> None:
    found = told[graph]
    assert found["falling"]
    assert found["placed"]
    assert found["ok"]
    assert found["checked"] > 0.6 * found["ops"] > 40  # the session prunes, merges and inlines before it runs
    assert found["bare"] == 0
    assert len(found["used"]) == 3
    guessed = ["the batch size is not to be seen: planned for 32; batch_size=N says another"]
    assert found["words"] == (guessed if graph == "with_function" else [])


@pytest.mark.parametrize("graph", GRAPHS)
def test_an_imported_graph_is_placed_and_made_as_it_was(told: dict[str, Facts], graph: str) -> None:
    assert told[graph]["imported"]
    assert told[graph]["imported ok"]
    assert told[graph]["removed"]


@pytest.mark.parametrize("graph", GRAPHS)
def test_a_graph_made_or_imported_under_a_plan_trains_the_same(told: dict[str, Facts], graph: str) -> None:
    assert told[graph]["built under"]
    assert told[graph]["imported under"]
    if graph == "adam":
        # TensorFlow makes these two under a device scope of its own: a read sits with its variable, a NoOp does nothing
        assert told[graph]["built elsewhere"] == ["NoOp", "ReadVariableOp"]


def test_a_placed_file_is_imported_and_runs(told: dict[str, Facts]) -> None:
    assert told["from_file"] == {"code": 0, "equal": True, "devices": ["CPU:0", "CPU:1"]}


@pytest.mark.parametrize(
    ("error", "words", "code"),
    [
        ("no fit", "mem=", 3),
        ("session", "place it before tf.Session(graph=graph)", 2),
        ("target", "'nowhere' is no op of the graph", 2),
        ("empty", "the graph has no ops yet", 2),
        ("function", "place the function", 2),
        ("no session", "call verify(session)", 2),
    ],
)
def test_errors_are_one_line_and_the_graph_is_as_it_was(
    told: dict[str, Facts], error: str, words: str, code: int
) -> None:
    line, found, clean = told["refused"][error]
    assert words in line
    assert "\n" not in line
    assert found == code
    assert clean
