"""`evaluate` and `predict` of placed models: the numbers of the unplaced model, ops where the plan says."""

from typing import Any

import pytest

from tests.keras.test_place import answers, pytestmark  # noqa: F401 - pytest reads the marks here too

Facts = dict[str, Any]

AFTER = ("dense", "cnn", "lstm_loop", "mixed_precision", "two_in_two_out")
BEFORE = ("cnn", "lstm_loop")


@pytest.fixture(scope="module")
def found() -> dict[str, Facts]:
    return dict(answers("evaluated"))


@pytest.mark.parametrize(
    ("when", "network"), [*(("after_a_fit", name) for name in AFTER), *(("before_a_fit", name) for name in BEFORE)]
)
def test_numbers_equal_and_every_op_is_in_its_place(found: dict[str, Facts], when: str, network: str) -> None:
    facts = found[when][network]
    assert facts["results"]
    assert facts["weights"]
    assert facts["ok"]
    assert facts["checked"] > 0.9 * facts["ops"]
    assert facts["gone"] < 0.05 * facts["ops"]
    assert facts["spread"] == {"test": 4, "predict": 4}


@pytest.mark.parametrize("network", AFTER)
def test_forward_ops_go_where_training_has_them(found: dict[str, Facts], network: str) -> None:
    words = found["after_a_fit"][network]["words"]
    assert found["after_a_fit"][network]["warned"] == [], "all is as it should be"
    assert {line.partition(":")[0] for line in words} == {"evaluate", "predict"}
    for line in words:
        known, ops = int(line.split()[1]), int(line.split()[4])
        assert line.endswith("ops go where training has them, the others beside")
        assert known > 0.5 * ops > 10  # small ops are numbered: "Cast_3" is another one in training


@pytest.mark.parametrize("network", BEFORE)
def test_before_a_fit_they_are_planned_by_themselves(found: dict[str, Facts], network: str) -> None:
    words = found["before_a_fit"][network]["words"]
    assert words[:2] == [
        "evaluate: planned with its variables, which a fit moves where training wants them",
        "predict: planned around its variables",
    ]
    assert all(line.endswith("ops go where training has them, the others beside") for line in words[2:])


def test_a_model_that_only_predicts_is_placed(found: dict[str, Facts]) -> None:
    facts = found["alone"]
    assert facts["equal"]
    assert facts["near"]
    assert facts["ok"]
    assert facts["spread"] == 4
    assert facts["batch"] == [8, 20]
    assert ", 0 without a device" in facts["report"]


def test_several_steps_and_single_batches(found: dict[str, Facts]) -> None:
    facts = found["several_at_once"]
    assert facts["results"]
    assert facts["ok"]
    assert facts["checked"] > 1000


def test_every_trace_is_read_back_and_nothing_else(found: dict[str, Facts]) -> None:
    reads, checked = zip(*found["traces"]["seen"], strict=True)
    assert reads == (1, 1, 2, 2, 3, 4, 4, 5)
    assert all((a == b) == (m == n) for a, b, m, n in zip(reads, reads[1:], checked, checked[1:], strict=False))
    assert found["traces"]["ok"]


def test_what_does_not_fit_is_told_and_runs_unplaced(found: dict[str, Facts]) -> None:
    facts = found["too_large"]
    assert facts["equal"]
    assert len(facts["words"]) == 1
    assert facts["words"][0].startswith("evaluate is not planned, TensorFlow puts its ops where it likes: op ")


def test_remove_gives_back_keras_own_functions(found: dict[str, Facts]) -> None:
    assert found["removed"] == {"equal": True, "left": []}
