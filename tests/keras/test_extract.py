"""`pardnn extract`: a model's training step as a file that is partitioned like any other."""

from pathlib import Path

import pytest

from pardnn import partition
from tests.keras.test_place import answers, pytestmark  # noqa: F401 - the same conditions

Told = dict[str, tuple[int, str]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("extracted")


@pytest.fixture(scope="module")
def told(folder: Path) -> Told:
    return {name: (code, words) for name, code, words in answers("extracted", str(folder))}


@pytest.mark.parametrize(
    ("name", "file", "batch"),
    [
        ("functional", "functional.pb", "size 7"),
        ("sequential", "sequential.pb", "size open"),
        ("open", "open.pbtxt", "size open"),
        ("file", "file.pb", "size 6"),
    ],
)
def test_the_step_is_partitioned_like_any_graph(told: Told, folder: Path, name: str, file: str, batch: str) -> None:
    code, words = told[name]
    assert code == 0
    assert f"batch {batch}; the step is the op 'train'" in words
    plan = partition(folder / file, gpus=2, mem="1GB", targets=["train"], method="round-robin", batch_size=7)
    assert plan.result()["coverage"]["pruned"] < 60  # what was traced and leads to nothing, as in the model itself
    assert plan.result()["nodes"] == int(words.partition(": ")[2].partition(" ")[0]) > 200
    assert {"VarHandleOp", "MatMul"} <= set(plan.subject.ops)
    assert sum(plan.peak_bytes) > 0


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("without_data", "return (model, x, y) with a batch"),
        ("not_compiled", "call model.compile"),
        ("broken", "made.py:broken: ZeroDivisionError: no luck"),
        ("nothing", "made NoneType, not a Keras model"),
        ("no function", "has no function 'function'"),
        ("no file", "nowhere.py: cannot be read"),
        ("no module", "nowhere: ModuleNotFoundError"),
        ("no colon", "is not module:function or file.py:function"),
    ],
)
def test_what_cannot_be_extracted_is_one_line(told: Told, folder: Path, name: str, words: str) -> None:
    code, line = told[name]
    assert code == 2
    assert words in line
    assert line.count("\n") == 1
    assert not (folder / f"{name}.pb").exists()
