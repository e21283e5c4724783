from pathlib import Path

import pytest

from pardnn.cost.listing import Listing, write_costs
from pardnn.cost.model import cost_model
from pardnn.cost.record import SOURCES
from pardnn.cost.table import read_costs
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
        ("op,time_us,time_us\nrelu,1,2\n", "line 1: two columns are called time_us"),
        ("op,time_us\nrelu\n", "line 2: 1 cells where the header has 2"),
        ("op,time_us\nrelu,1\nrelu,2\n", "line 3: op 'relu' stands on line 2 already"),
        ("op,time_us\nRelu:0,1\nRELU,2\n", "line 2 and line 3 both name op 'relu'"),
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


def test_json_says_the_same_as_csv(path: Path) -> None:
    found = costs(
        path, '\ufeff {"^dense/matmul:0": {"time_us": 1.5, "temp_bytes": 7, "x": {}}, "relu": {"time_us": null}}'
    )
    same = costs(path, "op,time_us,temp_bytes\n^dense/matmul:0,1.5,7\nrelu,,\n")
    assert found.source == same.source == ("roofline", "measured", "roofline", "roofline")
    assert found.workload.time_ns.tolist() == same.workload.time_ns.tolist()
    assert found.workload.temp_bytes.tolist() == same.workload.temp_bytes.tolist() == [0, 7, 0, 0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "line 1: no valid JSON"),
        ("{}", "names no op"),
        ('{"relu": 1.5}', "op 'relu': costs are an object"),
        ('{"relu": {"time_us": true}}', "op 'relu': time_us: 'True' is not a number"),
        ('{"relu": {"time_us": [1]}}', "op 'relu': time_us: .* is not a number"),
        ('{"relu": {"time_us": NaN}}', "op 'relu': time_us: 'nan' is not a number"),
        ('{"relu": {"time_us": 1}, "relu": {"time_us": 2}}', "op 'relu' stands there twice"),
        ('{"relu:0": {"time_us": 1}, "RELU": {"time_us": 2}}', "both name op 'relu'"),
        ('{"nobody": {"time_us": 1}}', "none of its 1 rows"),
        ('{"a":' * 100_000, "no valid JSON"),
    ],
)
def test_faulty_json_is_refused_by_file_and_op(path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        costs(path, text)
    assert str(error.value).startswith(str(path))


@pytest.mark.parametrize("as_json", [False, True])
def test_what_is_written_reads_back_to_the_same_figures(path: Path, as_json: bool) -> None:
    names = ("a", 'b,"c"', "d\ne", "模型/MatMul")
    written = Listing(names, (0, 1, 1500, 2**50 + 1), (1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11, 2**45), SOURCES)
    path.write_bytes(write_costs(written, as_json=as_json))
    rows = read_costs(str(path)).rows
    assert tuple(rows) == names
    for field in ("time_ns", "output_bytes", "temp_bytes", "resident_bytes", "source"):
        assert tuple(getattr(row, field) for row in rows.values()) == getattr(written, field), field


def test_a_source_in_the_table_is_kept_and_any_other_word_means_measured(path: Path) -> None:
    found = costs(path, "op,time_us,source\nx,0,roofline\nrelu,2,learned\nout,3,by hand\nDense/MatMul,1,\n")
    assert found.source == ("roofline", "measured", "learned", "measured")
