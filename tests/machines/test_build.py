from fractions import Fraction

import numpy as np
import pytest

from pardnn.errors import InputError
from pardnn.machines.build import build_machine
from pardnn.machines.spec import load_machine
from scheduler.machine import UNLIMITED, Machine

PCIE = load_machine("pcie3")
DGX2 = load_machine("dgx2-v100")


def test_pcie3_is_the_uniform_machine_without_limits() -> None:
    built, uniform = build_machine(PCIE, 4).machine, Machine.uniform(4, UNLIMITED, 10_000, 12_000_000_000)
    assert built.devices == uniform.devices
    for column in ("memory_bytes", "latency_ns", "bytes_per_s", "path_ptr", "path_link"):
        np.testing.assert_array_equal(getattr(built, column), getattr(uniform, column))


def test_a_preset_brings_its_gpus_memory_and_links() -> None:
    hardware = build_machine(DGX2)
    assert hardware.gpus == 16
    assert hardware.memory_bytes == (32_000_000_000,) * 16
    assert hardware.machine.memory_bytes.tolist() == [28_800_000_000] * 16
    assert (hardware.machine.latency_ns[0, 1], hardware.machine.bytes_per_s[0, 1]) == (25_000, 140_000_000_000)


def test_gpus_counts_or_names_ids() -> None:
    assert build_machine(PCIE, "2").machine.devices == ("/device:GPU:0", "/device:GPU:1")
    assert build_machine(PCIE, "1,3").machine.devices == ("/device:GPU:1", "/device:GPU:3")
    assert build_machine(DGX2, (15,)).machine.devices == ("/device:GPU:15",)


def test_unlike_cards_get_their_own_memory_and_speed() -> None:
    hardware = build_machine(PCIE, mem="6GB,11GB", speed="1,3")
    assert hardware.gpus == 2
    assert hardware.machine.memory_bytes.tolist() == [5_400_000_000, 9_900_000_000]
    assert hardware.speed == (Fraction(1), Fraction(3))


@pytest.mark.parametrize(
    ("mem", "fraction", "usable"),
    [
        ("10", 0.9, 9),
        ("11", 0.9, 9),
        ("100", "0.29", 29),  # in binary floating point 0.29 * 100 is below 29
        ("16GiB", 1, 2**34),
        ("unlimited", 0.5, UNLIMITED),
        (7_000_000, 1, 7_000_000),
    ],
)
def test_usable_memory_is_the_floor_of_the_share(mem: str | int, fraction: float | str, usable: int) -> None:
    assert build_machine(DGX2, 1, mem=mem, mem_fraction=fraction).machine.memory_bytes.tolist() == [usable]


def test_the_host_is_last_unlimited_and_joined_like_the_gpus() -> None:
    hardware = build_machine(PCIE, 2, mem="1GB", latency="3us", bandwidth="8Gbit/s", host=True)
    machine = hardware.machine
    assert machine.devices[-1] == "/device:CPU:0"
    assert machine.memory_bytes[-1] == UNLIMITED
    assert hardware.gpus == 2
    assert hardware.cards[-1].name == "cpu"
    assert set(machine.latency_ns.ravel().tolist()) == {3_000}
    assert set(machine.bytes_per_s.ravel().tolist()) == {10**9}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"gpus": 0}, "at least one GPU"),
        ({"gpus": "1,1"}, "names a GPU twice"),
        ({"gpus": "four"}, "neither a count"),
        ({"gpus": "-1"}, "neither a count"),
        ({"gpus": 17}, "has 16 GPUs"),
        ({"gpus": "3,16"}, "has 16 GPUs"),
        ({"gpus": "999999999"}, "at most 1024"),
        ({"gpus": 2, "mem": "1GB,2GB,3GB"}, "3 values for 2 GPUs"),
        ({"gpus": 2, "mem": "0"}, "no memory"),
        ({"gpus": 2, "mem": "16Gb"}, "bits or bytes"),
        ({"gpus": 2, "mem_fraction": 0}, "--mem-fraction"),
        ({"gpus": 2, "mem_fraction": 1.1}, "--mem-fraction"),
        ({"gpus": 2, "mem_fraction": "nan"}, "--mem-fraction"),
        ({"gpus": 2, "speed": "0"}, "--speed"),
        ({"gpus": 2, "speed": "1,x"}, "--speed"),
        ({"gpus": 2, "speed": "1e999999999"}, "--speed"),
        ({"gpus": 2, "bandwidth": "0GB/s"}, "never arrive"),
        ({"gpus": 2, "latency": "10"}, "unit is missing"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(options: dict[str, object], words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        build_machine(DGX2, **options)  # type: ignore[arg-type]  # one table of options for all
    assert "\n" not in str(error.value)


def test_any_number_of_gpus_must_be_said() -> None:
    with pytest.raises(InputError, match="say how many with --gpus"):
        build_machine(PCIE)
