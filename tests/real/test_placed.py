"""Real graphs placed from the command line: only devices change, groups stay whole, TensorFlow agrees."""

from pathlib import Path

import pytest

from tests.real.placed import EXAMPLE, GRAPHS, Placed, ask_tensorflow, place

LARGE = ("gnmt", "deep", "resnet50")
SMALL = [(name, runs) for name, runs in GRAPHS if not any(part in name for part in LARGE)]
TWINS = [
    ("ssd_hikapok_graph.pbtxt", "ssd_hikapok_model.ckpt-120000.meta"),
    ("tf1_mlp_4gpu_manual.pbtxt", "tf1_mlp_4gpu_manual.pb"),
    ("tf1_while_rnn_train.pbtxt", "tf1_while_rnn_train.pb"),
]


@pytest.fixture(scope="module")
def placed(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Placed]:
    folder = tmp_path_factory.mktemp("placed")
    graphs = [(shared / "data" / "graphs" / name, runs) for name, runs in SMALL]
    return {path.name: place(path, folder, runs=runs) for path, runs in [*graphs, (EXAMPLE, False)]}


@pytest.mark.slow
def test_only_devices_change_and_groups_are_whole(placed: dict[str, Placed]) -> None:
    assert {name: one.faults for name, one in placed.items() if one.faults} == {}
    assert len(placed) == len(SMALL) + 1


@pytest.mark.slow
@pytest.mark.parametrize(("text", "binary"), TWINS)
def test_text_and_binary_of_one_graph_get_one_plan(placed: dict[str, Placed], text: str, binary: str) -> None:
    assert placed[text].placement == placed[binary].placement
    assert len(placed[text].placement) > 100


@pytest.mark.slow
@pytest.mark.usefixtures("tensorflow")
def test_tensorflow_places_and_runs_every_op_where_the_plan_says(placed: dict[str, Placed]) -> None:
    answers = ask_tensorflow(list(placed.values()))
    assert [answer for answer in answers if answer["stage"] != "done" or answer["elsewhere"]] == []
    assert len(answers) == len(placed)
    ran = {Path(answer["graph"]).name: answer["executed"] for answer in answers if "executed" in answer}
    assert len(ran) == sum(runs for _, runs in SMALL)
    assert all(number > 0.9 * len(placed[name].placement) for name, number in ran.items())


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, _ in GRAPHS if any(part in name for part in LARGE)])
def test_large_graphs_too(shared: Path, tmp_path: Path, name: str) -> None:
    assert place(shared / "data" / "graphs" / name, tmp_path).faults == []
