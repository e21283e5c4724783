"""`pardnn.place` on training loops of one's own: tf.functions and ConcreteFunctions, bit for bit as unplaced."""

from typing import Any

import pytest

from tests.keras.test_place import answers, pytestmark  # noqa: F401 - the same conditions

Facts = dict[str, Any]


@pytest.fixture(scope="module")
def used() -> dict[str, Facts]:
    return dict(answers("functions"))


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("training_loop", ["the step was traced again: the plan is used again"]),
        ("open_batch_and_signature", []),
        ("inside_another", ["the batch size is not to be seen: planned for 32; batch_size=N says another"]),
    ],
)
def test_a_loop_trains_as_unplaced_with_every_op_on_its_device(
    used: dict[str, Facts], case: str, words: list[str]
) -> None:
    found = used[case]
    assert found["results"]
    assert found["weights"]
    assert found["ok"]
    assert found["checked"] > 0.9 * found["ops"] > 200
    assert found["bare"] == 0
    assert found["spread"] == 4
    assert found["words"] == words


def test_devices_in_a_loop_over_a_dataset_can_be_seen_from_a_call_outside(used: dict[str, Facts]) -> None:
    found = used["over_a_dataset"]
    assert found["equal"]
    assert found["told"].endswith("call it once by itself, then verify")
    assert found["ok"]
    assert found["checked"] > 200
    assert found["spread"] == 4


def test_functions_within_the_step_are_placed_too(used: dict[str, Facts]) -> None:
    found = used["calls_another"]
    assert found["equal"]
    assert found["ok"]
    assert found["checked"] > 50
    assert found["moved"] > 0


def test_a_method_is_placed_for_its_object_alone(used: dict[str, Facts]) -> None:
    found = used["of_an_object"]
    assert found["equal"]
    assert found["ok"]
    assert found["own"]
    assert not found["others"]


def test_a_call_before_does_not_matter(used: dict[str, Facts]) -> None:
    assert used["placed_after_a_call"] == {"equal": True, "ok": True, "spread": 4}


def test_remove_leaves_the_function_as_it_was(used: dict[str, Facts]) -> None:
    found = used["removed"]
    left = found.pop("left")
    assert set(left) <= {"_concrete_variable_creation_fn"}  # TensorFlow's own, from the first call
    assert found == {"equal": True, "spread": 4, "home": 1, "code": True}


def test_xla_is_turned_off_with_a_word(used: dict[str, Facts]) -> None:
    words = ["jit_compile is turned off: XLA would run the whole step on one device"]
    assert used["compiled"] == {"equal": True, "ok": True, "words": words, "back": True}


def test_functions_with_variables_in_common_get_along(used: dict[str, Facts]) -> None:
    assert used["shared_variables"] == {"equal": True, "spread": 4, "ok": [True] * 4}


def test_a_concrete_function_is_placed_at_once(used: dict[str, Facts]) -> None:
    found = used["concrete"]
    assert found["equal"]
    assert found["ok"]
    assert found["checked"] > 0.9 * found["ops"] > 200
    assert found["bare"] == 0
    assert (found["spread"], found["home"], found["left"]) == (4, 1, [""])


def test_gradients_of_placed_functions_are_the_same(used: dict[str, Facts]) -> None:
    assert used["differentiated"] == {"function": True, "concrete": True}


def test_a_copy_is_unplaced_and_trains_itself(used: dict[str, Facts]) -> None:
    found = used["copied"]
    assert found["own"] == pytest.approx(0.9)
    assert found["others"] == pytest.approx(0.8)
    assert not found["placed"]


def test_the_batch_size_of_an_iterator_is_found(used: dict[str, Facts]) -> None:
    assert used["iterators"] == {"equal": True, "ok": True, "batch": 8}


def test_a_plan_is_kept_for_the_same_question(used: dict[str, Facts]) -> None:
    assert used["kept_for_the_next_process"]["found"] == [[False, True], [True, True], [False, True]]


def test_an_interrupted_plan_is_made_by_the_next_call(used: dict[str, Facts]) -> None:
    assert used["interrupted"] == {"stopped": True, "equal": True, "ok": True}


def test_running_op_by_op_is_told_once_and_passes(used: dict[str, Facts]) -> None:
    words = ["tf.config.run_functions_eagerly is on: the function runs op by op, unplaced"]
    assert used["eager_later"] == {"equal": True, "ok": True, "words": words}


@pytest.mark.parametrize(
    ("error", "words", "code"),
    [
        ("no fit", "mem=", 3),
        ("no fit within", "mem=", 3),
        ("no fit concrete", "mem=", 3),
        ("eager", "run_functions_eagerly(True) runs functions op by op", 2),
        ("distributed", "a tf.distribute strategy is in use", 2),
        ("unbound", "place that of an object, as in pardnn.place(object.step)", 2),
        ("targets", "targets are for graphs", 2),
        ("plain", "decorate it with @tf.function", 2),
        ("no function", "Adam cannot be placed: give a Keras model, a tf.function or a tf.Graph", 2),
        ("same device", "one is named twice", 2),
        ("no gpus", "at least one GPU is needed", 2),
        ("twice", "placed already", 2),
        ("early", "call fit, train_on_batch or the function first", 2),
        ("unverified", "call the function first", 2),
    ],
)
def test_errors_are_one_line_and_the_function_runs_unplaced(
    used: dict[str, Facts], error: str, words: str, code: int
) -> None:
    line, found, clean = used["refused"][error]
    assert words in line
    assert "\n" not in line
    assert found == code
    assert clean
