"""`--costs measured:FILE` with what a session left, read as it is."""

import json
from pathlib import Path

import pytest

import pardnn
from pardnn.cost.table import CostTable
from pardnn.errors import InputError
from pardnn.measured import read_table


def test_a_run_metadata_is_a_table(shared: Path) -> None:
    made = shared / "data/graphs/made"
    file = made / "tf221_v1session_2cpu_run_metadata.pb"
    plan = pardnn.partition(made / "tf221_v1session_2cpu_graph.pb", gpus=1, costs=f"measured:{file}")
    assert plan.result()["coverage"]["measured"] == 56
    assert plan.result()["measured_percent"]["ops"] == pytest.approx(100 * 56 / 78)
    assert plan.result()["measured_percent"]["time"] > 95
    assert any("times for 56 of 78 ops (72 %); the rest by roofline x" in line for line in plan.warnings)
    times = dict(zip(plan.subject.names, plan.subject.problem.workload.time_ns[:, 0].tolist(), strict=True))
    assert times["MatMul"] == 64_840_715
    assert times["Adam/beta1"] == pytest.approx(9117 - 1463)  # its copies run side by side: the longest counts
    assert "56 measured (71.7 % of the ops" in plan.summary()


def test_a_gpu_s_kernels_count_not_its_launches(shared: Path) -> None:
    graph, file = "graphdef/tf_tfprof_graph.pbtxt", shared / "data/traces/tf_tfprof_run_meta.pb"
    plan = pardnn.partition(shared / "data/graphs" / graph, gpus=1, costs=f"measured:{file}")
    times = dict(zip(plan.subject.names, plan.subject.problem.workload.time_ns[:, 0].tolist(), strict=True))
    assert (times["Conv2D"], times["Conv2D_1"]) == (226_000, 178_000)
    temp = dict(zip(plan.subject.names, plan.subject.problem.workload.temp_bytes.tolist(), strict=True))
    assert temp["Conv2D"] == 5888


def test_a_buffer_that_another_op_made_is_not_counted_again(shared: Path) -> None:
    """TensorFlow tells the size of what a read hands on; it is the variable's own."""
    made = shared / "data/graphs/made"
    file = made / "tf221_v1session_2cpu_run_metadata.pb"
    table = read_table(str(file))
    plan = pardnn.partition(made / "tf221_v1session_2cpu_graph.pb", gpus=1, costs=f"measured:{file}")
    sizes = dict(zip(plan.subject.names, plan.subject.problem.workload.output_bytes.tolist(), strict=True))
    assert table.rows["w1/read"].output_bytes == 262_144
    assert (sizes["w1/read"], sizes["MatMul_1"]) == (0, 65_536)


def test_text_is_still_a_csv(tmp_path: Path) -> None:
    path = tmp_path / "c.pb"
    path.write_text("\nop,time_us\nrelu,1\n")
    with pytest.raises(InputError, match="line 1: the header must name"):
        read_table(str(path))
    path.write_text("op,time_us,runs,op_type\nrelu,1,50,_FusedMatMul\n")
    row = read_table(str(path)).rows["relu"]
    assert (row.time_ns, row.runs, row.op_type) == (1000, 50, "_FusedMatMul")


def test_a_table_in_memory_is_as_good_as_its_file(example_graph: Path, tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    name = pardnn.partition(example_graph, gpus=1, method="single").subject.names[200]
    path.write_text(f"op,time_us\n{name},1000000\n")
    table = read_table(str(path))
    assert isinstance(table, CostTable)
    plans = [pardnn.partition(example_graph, gpus=1, method="single", costs=c) for c in (table, f"measured:{path}")]
    assert plans[0].makespan_us == plans[1].makespan_us > 1e6
    plans[0].save(str(tmp_path / "p.placement.json"))
    assert json.loads((tmp_path / "p.placement.json").read_text())["options"]["costs"] == f"measured:{path}"
