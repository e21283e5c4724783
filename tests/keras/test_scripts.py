"""Complete training scripts with one line inserted: they print what they print without it, to the last digit."""

from typing import Any

import pytest

from tests.conftest import ROOT
from tests.keras.scripted import AS_IT_IS, inserted, without_times
from tests.keras.test_place import answers
from tests.keras.test_place import pytestmark as needs_tensorflow

Facts = dict[str, Any]

FILES = sorted((ROOT / "tests" / "scripts_of_others").glob("*.py"))
SCRIPTS = [file.stem for file in FILES]
SPREAD = "round-robin"
BY_DEFAULT = ("custom_train_step", "raw_strings", "unet_segmentation")
"""Run with `auto` too, which puts models as small as these on one device where that is faster."""
PLANS = {"k_fold": 3, "grid_search": 5}
"""How many models are trained where the line stands; else one."""
WORDS: dict[str, list[str]] = {
    "siamese_pairs": ["the batch size is not to be seen: planned for 32; batch_size=N says another"],
    "transfer_learning": ["the step was traced again and is another: planned anew around its variables"],
}


def slow(test: Any) -> Any:
    for mark in needs_tensorflow:
        test = mark(test)
    return test


@pytest.mark.parametrize("file", FILES, ids=SCRIPTS)
def test_one_line_is_inserted_and_nothing_else_changed(file: Any) -> None:
    source = file.read_text()
    lines, changed = source.splitlines(), inserted(source, SPREAD).splitlines()
    new = next(i for i, line in enumerate(changed) if "pardnn" in line)
    assert changed[:new] + changed[new + 1 :] == lines
    assert "fit(" in "".join(changed[new : new + 3])
    assert "fit(" not in "".join(line for line in lines[:new] if not line.lstrip().startswith(("#", '"""')))


def test_durations_and_the_drawing_of_bars_are_no_numbers() -> None:
    printed = "Epoch 1/2\n3/9 ━ 1s 20ms/step - loss: 2.0\r9/9 ━ 3s 21ms/step - loss: 1.5\nloss 1.25e-3\n"
    assert without_times(printed) == ["Epoch 1/2", "9/9 ━   - loss: 1.5", "loss 1.25e-3"]


@pytest.fixture(scope="module")
def ran() -> dict[tuple[str, str], Facts]:
    parts = ((SPREAD, *SCRIPTS[::2]), (SPREAD, *SCRIPTS[1::2]), ("auto", *BY_DEFAULT))
    return {(a["script"], a["method"]): a for part in parts for a in answers("scripted", *part)}


@slow
@pytest.mark.parametrize(
    ("script", "method"), [*((name, SPREAD) for name in SCRIPTS), *((name, "auto") for name in BY_DEFAULT)]
)
def test_scripts_run_to_the_end_and_print_the_same(ran: dict[tuple[str, str], Facts], script: str, method: str) -> None:
    plain, placed = ran[script, AS_IT_IS], ran[script, method]
    assert plain["code"] == placed["code"] == 0, placed["printed"][-20:]
    assert sum(digit.isdigit() for digit in "".join(plain["printed"])) > 30
    assert plain["plans"] == []
    assert placed["printed"] == plain["printed"]


@slow
@pytest.mark.parametrize("script", SCRIPTS)
def test_every_op_is_where_the_plan_says(ran: dict[tuple[str, str], Facts], script: str) -> None:
    plans = ran[script, SPREAD]["plans"]
    assert len(plans) == PLANS.get(script, 1)
    for plan in plans:
        assert plan["ok"], plan["read"]
        assert plan["moved"] == {}
        assert plan["bare"] == 0
        assert plan["ops"] > 200
        assert len(plan["used"]) == 2
        about_training = [word for word in plan["words"] if not word.startswith(("evaluate: ", "predict: "))]
        assert about_training == WORDS.get(script, [])


@slow
def test_models_that_are_alike_share_a_plan(ran: dict[tuple[str, str], Facts]) -> None:
    assert [plan["cached"] for plan in ran["k_fold", SPREAD]["plans"]] == [False, True, True]
