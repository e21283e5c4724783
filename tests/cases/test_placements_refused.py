"""What people were refused by TensorFlow's placer, as the command answers it: a few ops and one test a report."""

from pathlib import Path

import pytest

from pardnn.readers import read_graph
from tests.cases.files import file_of, plan_at
from tests.real.command import Answer, pardnn

CPU = "/device:CPU:0"


def placed(path: Path, *options: object) -> tuple[Answer, dict[str, str]]:
    plan = path.with_suffix(".placement.json")
    answer = pardnn("partition", path, "--gpus", 2, "-o", plan, "-o", path.with_suffix(".placed.pbtxt"), *options)
    return answer, plan_at(plan)["placement"] if answer.code == 0 else {}


def with_devices(path: Path, **devices: str) -> Path:
    """The file with devices of ops in it."""
    text = path.read_text()
    for name, device in devices.items():
        assert text.count(f'name: "{name}"\n') == 1
        text = text.replace(f'name: "{name}"\n', f'name: "{name}"\ndevice: "{device}"\n')
    path.write_text(text)
    return path


CPU_OPS = """
    x = Placeholder() dtype=float -> [4]
    file = Const() dtype=string -> []
    names = Const() dtype=string -> [1]
    summary = HistogramSummary(file, x) T=float -> []
    print = Print(x, x) T=float U=float; -> [4]
    text = AsString(x) T=float -> [4]
    save = SaveV2(file, names, names, x) dtypes=float;
    restore = RestoreV2(file, names, names) dtypes=float; -> [4]
    ids = Const() dtype=int64 -> [2,1]
    shape = Const() dtype=int64 -> [1]
    set = DenseToDenseSetOperation(ids, ids) T=int64 -> [2,1] [2] [1]
    count = VariableV2() dtype=int32 shape=[1] -> [1]
    counts = VariableV2() dtype=int32 shape=[4] -> [4]
    y = Relu(x) T=float -> [4]
"""


@pytest.mark.parametrize("keep", [False, True])
def test_ops_with_cpu_kernels_only_go_to_the_cpu_also_where_they_were_pinned_to_a_gpu(
    tmp_path: Path, keep: bool
) -> None:
    """TF 22476, models 5522, prettytensor 1."""
    path = file_of(CPU_OPS, tmp_path)
    path = with_devices(path, summary="/device:GPU:0", save="/gpu:0", count="/device:GPU:1", y="/device:GPU:1")
    answer, placement = placed(path, *(["--keep-devices"] if keep else []))
    assert answer.code == 0, answer.err
    hosted = {name for name, device in placement.items() if device == CPU}
    assert hosted >= {"summary", "print", "text", "save", "restore", "set", "count", "counts", "file", "names"}
    assert not hosted & {"x", "y"}
    if keep:
        assert placement["y"] == "/device:GPU:1"


def test_what_must_sit_with_a_cpu_op_goes_there_too_and_one_warning_names_the_op(tmp_path: Path) -> None:
    drawing = """
        count = VariableV2() dtype=int32 shape=[1] -> [1]
        one = Const() dtype=int32 value={1} -> [1]
        next = AssignAdd(count, one) T=int32 -> [1]
        near = Placeholder() dtype=float loc=count -> [8]
        far = Relu(near) T=float -> [8]
    """
    answer, placement = placed(file_of(drawing, tmp_path), "--targets", "next,far")
    assert {placement[name] for name in ("count", "next", "near")} == {CPU}
    assert placement["far"].startswith("/device:GPU:")
    assert [line for line in answer.err.splitlines() if "CPU only" in line] == [
        "pardnn: warning: 'count' (VariableV2) runs on the CPU only, so its colocation group of 3 ops goes there"
    ]


def test_sparse_updates_of_types_without_gpu_kernel_take_their_variable_to_the_cpu(tmp_path: Path) -> None:
    drawing = """
        w = VariableV2() dtype=float shape=[9,4] -> [9,4]
        rate = Const() dtype=float -> []
        grad = Placeholder() dtype=float -> [2,4]
        ids = Placeholder() dtype=int64 -> [2]
        up = SparseApplyAdagradDA(w, w, w, grad, ids, rate, rate, rate, ids) T=float Tindices=int64 -> [9,4]
    """
    answer, placement = placed(file_of(drawing, tmp_path))
    assert (placement["w"], placement["up"]) == (CPU, CPU)
    assert "'up' (SparseApplyAdagradDA) runs on the CPU only" in answer.err


def test_a_group_that_no_device_satisfies_is_exit_3_naming_both_ops(tmp_path: Path) -> None:
    """TF 21669."""
    drawing = """
        x = Placeholder() dtype=float -> [8]
        text = AsString(x) T=float -> [8]
        back = CudnnRNNBackprop(x, x, x, x, x, x, x, x, x, x, x) T=float loc=text
    """
    answer, _ = placed(file_of(drawing, tmp_path))
    assert answer.code == 3
    assert answer.err.count("\n") == 1
    assert "'text' (AsString)" in answer.err
    assert "'back' (CudnnRNNBackprop)" in answer.err


COLOCATED = """
    v = VariableV2() dtype=float shape=[4] -> [4]
    w = VariableV2() dtype=float shape=[4] -> [4]
    g = AddN(v, w) T=float N=2 loc=v,w -> [4]
"""


def test_colocated_with_two_pins_is_placed_when_cleared_and_exit_2_when_kept(tmp_path: Path) -> None:
    """TF 25787, models 5522."""
    path = with_devices(file_of(COLOCATED, tmp_path), v="/device:GPU:0", w="/device:GPU:1")
    answer, placement = placed(path)
    assert answer.code == 0
    assert len(set(placement.values())) == 1
    assert "2 ops had a device in the file: cleared; --keep-devices keeps them as pins" in answer.err
    kept, _ = placed(path, "--keep-devices", "--force")
    assert kept.code == 2
    assert all(part in kept.error for part in ("'v'", "'w'", "/device:GPU:0", "/device:GPU:1"))


@pytest.mark.parametrize(
    "spelling", ["/gpu:0", "/device:GPU:0", "/job:localhost/replica:0/task:0/device:GPU:0", "/GPU:0", "/device:gpu:0"]
)
def test_every_spelling_of_a_device_is_that_device(tmp_path: Path, spelling: str) -> None:
    """tensorpack 330."""
    path = with_devices(file_of(COLOCATED, tmp_path), v="/device:GPU:0", w=spelling)
    answer, placement = placed(path, "--keep-devices")
    assert answer.code == 0, answer.err
    assert set(placement.values()) == {"/device:GPU:0"}


def test_devices_of_a_cluster_are_cleared_and_said_to_be_or_kept_as_pins(tmp_path: Path) -> None:
    """tf_cnnvis 14, TF 23697."""
    drawing = """
        w = VariableV2() dtype=float shape=[4] -> [4]
        x = Placeholder() dtype=float -> [4]
        y = Mul(x, w) T=float -> [4]
        z = Neg(y) T=float -> [4]
    """
    path = with_devices(
        file_of(drawing, tmp_path), w="/job:ps/task:0/device:CPU:0", y="/job:worker/task:0/device:GPU:1"
    )
    answer, placement = placed(path)
    assert answer.code == 0
    assert "2 ops had a device in the file: cleared" in answer.err
    assert placement["w"].startswith("/device:GPU:")
    written = {node.name: node.device for node in read_graph(path.with_suffix(".placed.pbtxt"))[0].nodes}
    assert written == placement
    kept, placement = placed(path, "--keep-devices", "--force")
    assert kept.code == 0, kept.err
    assert (placement["w"], placement["y"]) == (CPU, "/device:GPU:1")


def test_unknown_ops_are_read_costed_counted_and_placed(tmp_path: Path) -> None:
    """custom-op 68, aster 72."""
    drawing = """
        g = Placeholder() dtype=float -> [1000]
        all = HorovodAllreduce(g) T=float reduce_op=1 -> [1000]
        z = MyCustomConv(all, ^g) -> [1000]
    """
    answer, placement = placed(file_of(drawing, tmp_path), "--json")
    assert answer.code == 0
    assert set(placement) == {"g", "all", "z"}
    assert all(device.startswith("/device:GPU:") for device in placement.values())
    assert "ops of unknown type, taken to run on GPU and CPU: 2 (HorovodAllreduce, MyCustomConv)" in answer.err
    assert answer.json["coverage"]["roofline"] == 3
    assert answer.json["makespan_us"] > 0
