"""Which ops may sit on one device only: wishes from the file's devices, and what they come to in groups."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pardnn.config import Options
from pardnn.errors import InputError
from pardnn.graph.raw import RawNode
from pardnn.pins import pin_groups, read_pin_file, wishes_of_file
from pardnn.subject import pose


def nodes(*devices: str) -> list[RawNode]:
    return [RawNode(f"n{i}", "Relu", device=device) for i, device in enumerate(devices)]


def wishes(*devices: str, hosted: tuple[int, ...] = ()) -> tuple[list[tuple[int, str]], list[str]]:
    found, notes = wishes_of_file(nodes(*devices), hosted)
    return [(v, device) for v, device, _ in found], notes


@pytest.mark.parametrize(
    ("device", "pin"),
    [
        ("", None),
        ("/gpu:1", "/device:GPU:1"),
        ("/device:GPU:1", "/device:GPU:1"),
        ("/job:localhost/replica:0/task:0/device:GPU:1", "/device:GPU:1"),
        ("/device:GPU:*", None),
        ("/device:GPU", None),
        ("*", None),
        ("/job:localhost/replica:0/task:0", None),
        ("/cpu:0", "/device:CPU:0"),
        ("/device:CPU:1", "/device:CPU:0"),  # a host is one CPU
        ("/device:CPU:*", "/device:CPU:0"),
    ],
)
def test_what_a_device_in_the_file_pins_to(device: str, pin: str | None) -> None:
    assert wishes(device) == ([(0, pin)] if pin else [], [])


def test_one_task_of_a_cluster_is_taken_for_this_host() -> None:
    found, notes = wishes(
        "/job:worker/task:3/gpu:1", "/job:worker/replica:0/task:3/device:CPU:0", "/gpu:0", "/job:worker/task:3"
    )
    assert found == [(0, "/device:GPU:1"), (1, "/device:CPU:0"), (2, "/device:GPU:0")]
    assert notes == ["devices on /job:worker/replica:0/task:3: job and task are dropped, a plan is for one host"]


def test_a_parameter_server_s_cpu_is_this_host_s() -> None:
    found, notes = wishes("/job:ps/task:0/cpu:0", "/job:ps/task:1", "/job:worker/task:0/gpu:0", "/job:worker/cpu:0")
    assert found == [(0, "/device:CPU:0"), (2, "/device:GPU:0"), (3, "/device:CPU:0")]
    hosts = ", ".join(
        f"/job:{task}" for task in ("ps/replica:0/task:0", "ps/replica:0/task:1", "worker/replica:0/task:0")
    )
    assert notes == [f"devices on {hosts}: job and task are dropped, a plan is for one host"]


@pytest.mark.parametrize(
    "devices",
    [
        ("/job:ps/task:0/gpu:0", "/job:worker/task:0/gpu:0"),
        ("/job:worker/task:0/gpu:0", "/job:worker/task:1/device:GPU:0"),
        ("/job:worker/replica:0/task:0/gpu:0", "/job:worker/replica:1/task:0/gpu:0"),
    ],
)
def test_the_same_gpu_of_two_hosts_is_one_clear_error(devices: tuple[str, ...]) -> None:
    with pytest.raises(
        InputError, match=r"op 'n0' is on /device:GPU:0 of /job:.* and 'n1' on that of /job:.* one host"
    ):
        wishes(*devices)


def test_ops_that_only_the_cpu_runs_go_there_with_a_word() -> None:
    found, notes = wishes("/gpu:0", "/cpu:0", "/gpu:1", "", hosted=(0, 1, 3))
    assert found == [(2, "/device:GPU:1")]
    assert notes == ["1 ops have a device in the file that has no kernel for them: they go to the CPU"]


def test_what_is_no_device_is_told_with_its_op() -> None:
    with pytest.raises(InputError, match="op 'n1': 'gpu zero' is no device"):
        wishes("", "gpu zero")


def test_wishes_of_a_group_must_agree() -> None:
    names, group = ("a", "b", "c"), np.array([0, 0, 1], np.int32)
    devices = {"/device:GPU:0": 0, "/device:GPU:1": 1}
    assert pin_groups(names, group, devices, [(1, "/device:GPU:1", "x")]).tolist() == [1, 1, -1]
    both = [(0, "/device:GPU:0", "x"), (1, "/device:GPU:1", "x")]
    with pytest.raises(InputError, match="'a' wants /device:GPU:0 and 'b' wants /device:GPU:1"):
        pin_groups(names, group, devices, both)
    with pytest.raises(InputError, match=r"'c' wants /device:GPU:7; planned for are /device:GPU:0"):
        pin_groups(names, group, devices, [(2, "/device:GPU:7", "x")])


def test_a_graph_of_a_cluster_is_cleared_or_kept(tmp_path: Path) -> None:
    text = "".join(
        f'node {{ name: "{name}" op: "Relu" device: "{device}" }}\n'
        for name, device in (("a", "/job:worker/task:0/gpu:1"), ("b", "/job:worker/task:1/gpu:1"))
    )
    path = tmp_path / "cluster.pbtxt"
    path.write_text(text)
    cleared = pose(str(path), Options.of(gpus=2))
    assert (cleared.problem.pin == -1).all()
    assert any("2 ops had a device in the file: cleared" in note for note in cleared.notes)
    with pytest.raises(InputError, match="for one host unless --hosts"):
        pose(str(path), Options.of(gpus=2, keep_devices=True))
    path.write_text(text.replace("task:0/gpu:1", "task:1/cpu:0"))
    kept = pose(str(path), Options.of(gpus=2, keep_devices=True))
    assert kept.problem.pin.tolist() == [2, 1]


def test_a_pin_file_with_a_byte_order_mark_comments_and_repeats(tmp_path: Path) -> None:
    path = tmp_path / "pins"
    path.write_bytes(b"\xef\xbb\xbfa /gpu:0  # first\r\n\na /device:GPU:0\nscope/ gpu:1\n")
    assert read_pin_file(str(path)) == [("a", "/device:GPU:0"), ("scope", "/device:GPU:1")]


def test_a_pin_file_that_contradicts_itself_is_refused_with_both_lines(tmp_path: Path) -> None:
    path = tmp_path / "pins"
    path.write_text("a /gpu:0\nb /gpu:0\na /gpu:1\n")
    with pytest.raises(InputError, match="pins:3: pins 'a' to /device:GPU:1, line 1 to /device:GPU:0"):
        read_pin_file(str(path))


def test_a_cost_graph_says_which_options_do_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    zeros = '"resident": [0], "output": [0], "temp": [0], "src": [], "dst": [], "bytes": []'
    path.write_text(f'{{"time": [1], {zeros}}}')
    subject = pose(path, Options.of(gpus=1, batch_size=4, keep_devices=True))
    assert subject.notes == (f"{path}: brings its own costs: --batch-size, --keep-devices idle",)
    with pytest.raises(InputError, match="no cost model 'nosuch'"):
        pose(path, Options.of(gpus=1, costs="nosuch"))
