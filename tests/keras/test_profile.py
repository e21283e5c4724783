"""`pardnn.profile` and `pardnn profile`: measured times that cover the step, add up to it, and agree from run to run.

How near they come depends on what else the machine does: the bounds here hold on a busy one.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from pardnn.cost.table import read_costs
from pardnn.machines.spec import load_machine
from tests.keras.test_place import answers, pytestmark  # noqa: F401 - the same conditions

Told = dict[str, Any]
BOTH = pytest.mark.parametrize("network", ["cnn", "lstm"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("profiled")


@pytest.fixture(scope="module")
def told(folder: Path) -> Told:
    return dict(answers("profiled", str(folder)))


@BOTH
def test_every_op_that_takes_time_is_measured(told: Told, network: str) -> None:
    found = told[network]
    assert found["measured_percent"]["time"] >= 95
    assert found["measured_percent"]["ops"] >= 95
    assert found["coverage"]["measured"] > 400
    assert found["rows"] == ["/job:localhost/replica:0/task:0/device:CPU:0"]
    assert found["dropped"]["the runtime's own"] == found["steps"] == 6


@BOTH
def test_the_costs_make_the_step_by_the_clock(told: Told, network: str) -> None:
    found = told[network]
    assert 0 <= found["overhead_us"] <= 5
    assert 0.6 * found["step_min_us"] <= found["predicted_us"] <= 1.4 * found["step_us"]
    assert found["ops_us"] <= 1.4 * found["step_us"]
    assert found["traced_step_us"] > 0


@BOTH
def test_two_runs_agree(told: Told, network: str) -> None:
    assert told[network]["agree"] < 0.5


@BOTH
def test_the_model_made_again_is_planned_with_these_costs(told: Told, folder: Path, network: str) -> None:
    """From the table in memory and from its file; Keras has given the layers other numbers."""
    found = told[network]
    assert found["planned_us"][0] == pytest.approx(found["predicted_us"], rel=1e-3)
    assert found["planned_us"][1] == pytest.approx(found["planned_us"][0], rel=1e-6)
    assert all(covered["time"] >= 95 for covered in found["covered"])
    assert "by name but for its numbers" in found["notes"][0]
    rows = read_costs(str(folder / f"{network}.csv")).rows
    longest = next(iter(rows.values()))
    assert longest.time_ns is not None
    assert (longest.runs or 0) >= 1
    assert longest.op_type


@pytest.mark.usefixtures("told")
def test_the_body_of_a_loop_ran_once_per_turn(folder: Path) -> None:
    rows = read_costs(str(folder / "lstm.csv")).rows
    products = [row for name, row in rows.items() if "/while/body/" in name and name.endswith("lstm_cell_1/MatMul")]
    products += [row for name, row in rows.items() if "/while/body/" in name and name.endswith("lstm_cell/MatMul")]
    assert [row.runs for row in products] == [25.0]


def test_a_model_and_its_link_from_the_command_line(told: Told, folder: Path) -> None:
    code, _, out = told["model"]
    assert code == 0
    assert "ops measured" in out
    assert "link         between two logical CPUs of one process" in out
    machine = load_machine(str(folder / "here.toml"))
    assert machine.gpus[0].card.name == "cpu"
    assert machine.extensible
    assert "only a large number" in (folder / "here.toml").read_text()


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ("existing", "exists already; --force replaces it"),
        ("no model", "made NoneType, not a Keras model"),
        ("cost graph", "is a cost graph, with nothing in it that runs"),
        ("cluster alone", "--cluster is for --machine-out"),
        ("nobody serves", "--cluster: task 0 (127.0.0.1:1) is not up: start it with `pardnn serve` there"),
        ("open length", "placeholder 'Placeholder' has shape [64, -1, 128]: give it"),
        ("stranger", "the step has no placeholder 'nobody'; it has: Placeholder"),
        ("broken", "broken.npz: is no .npz file of plain arrays"),
        ("arguments", "(_Arg) only runs inside a function"),
        ("queue", "(QueueDequeueManyV2) takes data from a pipeline"),
    ],
)
def test_what_cannot_be_profiled_is_one_line(told: Told, case: str, words: str) -> None:
    if case not in told:
        pytest.skip("needs the shared folder")
    code, said, out = told[case]
    assert (code, out, said.count("\n")) == (2, "", 1)
    assert words in said


def test_a_graph_is_profiled_with_given_data(told: Told) -> None:
    if "given" not in told:
        pytest.skip("needs the shared folder")
    code, _, out = told["given"]
    assert code == 0
    assert "108 ops measured" in out


def test_the_link_between_two_servers(tmp_path: Path) -> None:
    (found,) = answers("linked", str(tmp_path))
    assert found["code"] == 0
    assert found["link"].startswith("over gRPC between 127.0.0.1:")
    machine = tomllib.loads((tmp_path / "two.toml").read_text())
    assert 20_000 < int(machine["latency"].removesuffix("ns")) < 50_000_000
    assert 1e7 < int(machine["bandwidth"].removesuffix("B/s")) < 1e11
