from pathlib import Path

import pytest

from pardnn.cost.model import cost_model
from pardnn.cost.workload import Costs, graph_costs
from pardnn.errors import InputError
from pardnn.machines.build import build_machine
from pardnn.machines.spec import load_machine
from tests.cost.factories import make_graph, node

GRAPH = make_graph(
    node("x", "Placeholder", "", (1000, 1000)),
    node("Dense/MatMul", "MatMul", "x x", (1000, 1000)),
    node("relu", "Relu", "Dense/MatMul", (1000, 1000)),
    node("out", "Tanh", "relu", (1000, 1000)),
)


def costs(path: Path, text: str, gpus: int = 1, speed: str | None = None) -> Costs:
    path.write_text(text)
    return graph_costs(GRAPH, build_machine(load_machine(), gpus, speed=speed), cost_model(f"measured:{path}"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "costs.csv"


def test_measured_times_count_and_the_rest_follows_their_scale(path: Path) -> None:
    roofline = graph_costs(GRAPH, build_machine(load_machine(), 1), cost_model("roofline")).workload.time_ns[:, 0]
    twice_us = roofline[1] * 2e-3
    found = costs(path, f"op,time_us,temp_bytes\nDense/MatMul,{twice_us},77\n")
    assert found.source == ("roofline", "measured", "roofline", "roofline")
    assert found.workload.time_ns[:, 0].tolist() == (2 * roofline).tolist()
    assert found.workload.temp_bytes.tolist() == [0, 77, 0, 0]
    assert found.coverage["measured"] == 1
    assert found.coverage["roofline"] == 3
    assert found.notes == (f"{path}: times for 1 of 4 ops (25 %); the rest by roofline x 2",)


def test_names_are_matched_tolerantly_and_strangers_counted(path: Path) -> None:
    found = costs(path, "time_us,op,comment\n1.5,^dense/matmul:0,a\n0.0004,  RELU ,b\n9,nobody,c\n")
    assert found.workload.time_ns[1:3, 0].tolist() == [1500, 0]
    assert "1 rows name no op" in found.notes[0]


def test_an_empty_cell_says_nothing(path: Path) -> None:
    found = costs(path, "op,time_us,output_bytes\nrelu,,5\nout,1,\n")
    assert found.source[2:] == ("roofline", "measured")
    assert found.workload.output_bytes.tolist() == [4_000_000, 4_000_000, 5, 4_000_000]


def test_on_a_faster_card_the_measured_time_shrinks(path: Path) -> None:
    found = costs(path, "op,time_us\nrelu,100\n", gpus=2, speed="1,4")
    assert found.workload.time_ns[2].tolist() == [100_000, 25_000]


def test_the_very_name_wins_over_one_alike(path: Path) -> None:
    found = costs(path, "op,time_us\nRELU,1\nrelu,2\n")
    assert found.workload.time_ns[2, 0] == 2000


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: the header must name"),
        ("op;time_us\n", "line 1: the header must name"),
        ("op,time_us\nrelu\n", "line 2: 1 cells where the header has 2"),
        ("op,time_us\nrelu,1\nrelu,2\n", "line 3: op 'relu' stands on line 2 already"),
        ("op,time_us\nRelu:0,1\nRELU,2\n", "lines 2 and 3 both name op 'relu'"),
        ("op,time_us\nrelu,-1\n", "line 2: time_us: '-1' is not a number"),
        ("op,time_us\nrelu,nan\n", "line 2: time_us: 'nan' is not a number"),
        ("op,time_us\nrelu,1e99\n", "line 2: time_us: '1e99' is not a number"),
        ("op,time_us\nrelu,fast\n", "line 2: time_us: 'fast' is not a number"),
        ("op,time_us\nnobody,1\n", "none of its 1 rows"),
        ('op,time_us\n"relu,1\n', "not a CSV file"),
    ],
)
def test_a_faulty_table_is_refused_by_file_and_line(path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        costs(path, text)
    assert str(error.value).startswith(str(path))


def test_an_absent_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none.csv: cannot be read"):
        graph_costs(GRAPH, build_machine(load_machine(), 1), cost_model(f"measured:{tmp_path / 'none.csv'}"))
