"""Several hosts of the same make: their devices' names, their links, and plans for them."""

import json
from pathlib import Path

import numpy as np
import pytest

from pardnn.config import Options
from pardnn.errors import InputError
from pardnn.machines.build import build_machine
from pardnn.machines.spec import load_machine
from pardnn.pins import read_pin_file
from pardnn.subject import pose
from tests.cli.conftest import Program, diamond, pardnn  # noqa: F401 - fixtures

PCIE = load_machine("pcie3")


def test_the_gpus_of_each_host_have_its_task_in_their_names() -> None:
    built = build_machine(PCIE, "1,3", "1GB,2GB", speed="1,2", hosts=2, host=True)
    assert built.machine.devices == (
        "/job:worker/task:0/device:GPU:1", "/job:worker/task:0/device:GPU:3",
        "/job:worker/task:1/device:GPU:1", "/job:worker/task:1/device:GPU:3", "/device:CPU:0",
    )  # fmt: skip
    assert built.gpus == 4
    assert built.memory_bytes == (10**9, 2 * 10**9) * 2
    assert [int(factor) for factor in built.speed] == [1, 2, 1, 2, 1]


def test_links_within_a_host_are_the_machines_and_between_hosts_the_networks() -> None:
    machine = build_machine(PCIE, 2, latency="3us", hosts=2, host=True).machine
    near, far = (3_000, 12 * 10**9), (50_000, 29 * 10**8)
    links = [[(machine.latency_ns[i, j], machine.bytes_per_s[i, j]) for j in range(5)] for i in range(5)]
    assert links[0] == [near, near, far, far, near]
    assert links[3] == [far, far, near, near, far]
    assert links[4] == [near, near, far, far, near]  # the CPU is that of the first host
    assert machine.links[-4:] == ("host 0 out", "host 1 out", "host 0 in", "host 1 in")
    assert np.diff(machine.path_ptr).reshape(5, 5)[0].tolist() == [2, 2, 4, 4, 2]


def test_a_machine_file_says_what_its_network_is(tmp_path: Path) -> None:
    text = 'latency = "1us"\nbandwidth = "1GB/s"\n[[gpu]]\n'
    path = tmp_path / "lab.toml"
    path.write_text(text + '[network]\nlatency = "7us"\n')
    lab = load_machine(str(path))
    assert (lab.network_latency_ns, lab.network_bytes_per_s) == (7_000, 29 * 10**8)
    path.write_text(text + '[network]\nspeed = "7us"\n')
    with pytest.raises(InputError, match=r"network\.speed: unknown key; known here: latency, bandwidth"):
        load_machine(str(path))


@pytest.mark.parametrize(
    ("hosts", "words"), [(0, "at least one host"), (2000, "2000 of 2 GPUs each; at most 1024 GPUs")]
)
def test_what_cannot_be_is_refused(hosts: int, words: str) -> None:
    with pytest.raises(InputError, match=words):
        build_machine(PCIE, 2, hosts=hosts)
    with pytest.raises(InputError, match="--hosts: 'two' is not a whole number"):
        Options.of(hosts="two")


def test_pins_name_a_device_of_a_host(tmp_path: Path) -> None:
    pins = tmp_path / "pins"
    pins.write_text("a /job:worker/task:1/gpu:1\nb /gpu:0\nc /job:worker/task:1/cpu:0\n")
    assert read_pin_file(str(pins), hosts=2) == [
        ("a", "/job:worker/task:1/device:GPU:1"), ("b", "/job:worker/task:0/device:GPU:0"), ("c", "/device:CPU:0"),
    ]  # fmt: skip
    assert read_pin_file(str(pins))[0] == ("a", "/device:GPU:1")


def test_devices_of_several_hosts_in_a_file_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "cluster.pbtxt"
    path.write_text(
        'node { name: "a" op: "Relu" device: "/job:worker/task:0/gpu:1" }\n'
        'node { name: "b" op: "Relu" device: "/job:worker/replica:0/task:1/device:GPU:1" }\n'
    )
    assert pose(str(path), Options.of(gpus=2, hosts=2, keep_devices=True)).problem.pin.tolist() == [1, 3]


def test_a_plan_for_two_hosts_is_made_and_looked_at_again(pardnn: Program, diamond: Path) -> None:  # noqa: F811
    asked = ("--gpus", 2, "--hosts", 2, "--mem", "8kB,9kB", "--method", "round-robin")
    made = pardnn("partition", diamond, *asked, "-o", "x.placement.json", "--json", "-q")
    assert made.code == 0, made.err
    assert made.result["devices"] == 4
    assert made.result["limit_bytes"] == [7_200, 8_100] * 2
    stored = json.loads(Path("x.placement.json").read_text())
    assert set(stored["placement"].values()) == {f"/job:worker/task:{t}/device:GPU:{i}" for t in (0, 1) for i in (0, 1)}
    again = pardnn("simulate", diamond, "x.placement.json", "--json").result
    for key in ("makespan_us", "peak_bytes", "limit_bytes", "lower_bound_us", "transfers"):
        assert again[key] == made.result[key]
    # a, to b within the host and only then to c on the network, c, to d within the host, d
    assert made.result["makespan_us"] == pytest.approx(10 + 10.084 + 50.345 + 500 + 10.084 + 10)
    swapped = Path("x.placement.json").read_text().replace("task:0", "task:9").replace("task:1", "task:0")
    Path("y.placement.json").write_text(swapped.replace("task:9", "task:1"))
    assert pardnn("diff", "x.placement.json", "y.placement.json", "--json").result["moved"] == 4


def test_memory_that_works_is_said_per_gpu(pardnn: Program, diamond: Path) -> None:  # noqa: F811
    done = pardnn("partition", diamond, "--gpus", 1, "--hosts", 2, "--mem", "3kB", "--dry-run")
    assert done.code == 3
    mem = done.err.partition("--mem ")[2].split()[0]
    assert pardnn("partition", diamond, "--gpus", 1, "--hosts", 2, "--mem", mem, "--dry-run").code == 0
