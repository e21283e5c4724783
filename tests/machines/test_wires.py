"""Links for collectives: presets, files, and what is read off for groups that were not measured."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pardnn.errors import InputError
from pardnn.machines.curve import Curve
from pardnn.machines.spec import load_machine
from pardnn.machines.wires import Group, Wire, Wires, load_wires, machine_wires, wire_names, with_network
from scheduler.machine import link_ns

PCIE = load_machine("pcie3")


def load(path: Path, text: str) -> Wires:
    path.write_text(text)
    return load_wires(str(path), PCIE)


@pytest.mark.parametrize("name", wire_names())
def test_presets_rise_with_size_and_know_their_machine(name: str) -> None:
    wires = load_wires(name, PCIE)
    for group in wires.all_reduce:
        sizes = [2**i for i in range(23, 31)]
        times = [group.curve(size) for size in sizes]
        assert times == sorted(times)
        assert 1e9 * sizes[-1] / times[-1] < 1e12  # no more than a terabyte a second
    for machine in wires.machines:
        assert machine_wires(load_machine(machine)) == wires


def test_published_all_reduces() -> None:
    """A GiB among 8 A100 at 227 GB/s of bus bandwidth, among 2 V100 at 23."""
    a100, v100 = load_wires("a100-nvswitch", PCIE), load_wires("v100-nvlink", PCIE)
    ns = a100.all_reduce_ns(1, 8, 2**30)
    assert ns is not None
    assert 2 * 7 / 8 * 2**30 / ns == pytest.approx(229, rel=0.02)
    ns = v100.all_reduce_ns(1, 2, 2**30)
    assert ns is not None
    assert 2**30 / ns == pytest.approx(22.5, rel=0.02)


def test_a_machine_without_measurements_has_its_own_links() -> None:
    wires = machine_wires(PCIE)
    assert (wires.inside, wires.network) == (Wire(10_000, 12 * 10**9), Wire(50_000, 2_900_000_000))
    assert wires.all_reduce_ns(1, 8, 100) is None


def test_groups_that_were_not_measured() -> None:
    """Rounds of 10 ns and 1 ns a byte among 2 and 4 workers: among 3 and 64 rounds take as long."""
    groups = tuple(
        Group(1, n, Curve.of([(n * piece, 2 * (n - 1) * (10.0 + piece)) for piece in (1, 10, 100, 1000)]))
        for n in (2, 4)
    )
    wires = Wires("", "", Wire(10, 10**9), Wire(10, 10**9), all_reduce=groups)
    assert wires.all_reduce_ns(1, 3, 300) == pytest.approx(4 * 110)
    assert wires.all_reduce_ns(1, 64, 640) == pytest.approx(126 * 20)
    assert wires.all_reduce_ns(2, 4, 640) is None  # nothing between hosts was measured
    assert wires.measured(1, 4)
    assert not wires.measured(1, 3)


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    wires = load(
        tmp_path / "lab.toml",
        'latency = "5us"\nbandwidth = "1GB/s"\n[network]\nlatency = "9us"\nbandwidth = "2GB/s"\ncards = 2\n'
        "[[all_reduce]]\ngpus = 4\nbytes = [1, 1000]\nus = [1.5, 3]\n",
    )
    assert (wires.name, wires.inside, wires.network) == ("lab", Wire(5000, 10**9), Wire(9000, 2 * 10**9))
    assert (wires.cards, wires.all_reduce_ns(1, 4, 1)) == (2, 1500)


def test_a_measured_machine_file_is_a_link_too(tmp_path: Path) -> None:
    text = 'description = "measured"\nlatency = "7us"\nbandwidth = "3GB/s"\n\n[[gpu]]\ncard = "cpu"\n'
    assert load(tmp_path / "here.toml", text).inside == Wire(7000, 3 * 10**9)


def test_a_table_of_measured_times(tmp_path: Path) -> None:
    wires = load(tmp_path / "nccl.csv", "workers,bytes,us\n2,1000,10\n2,2000,12\n8,1000,30\n8,2000,36\n")
    assert [group.workers for group in wires.all_reduce] == [2, 8]
    assert wires.all_reduce_ns(1, 8, 1000) == 30_000
    sent = load(tmp_path / "sent.csv", "bytes,us\n1000,10\n2000,12\n")
    assert (sent.inside.send_ns(1000), sent.all_reduce) == (10_000, ())


def test_figures_on_the_command_line() -> None:
    assert load_wires("10us,12GB/s", PCIE).inside == Wire(10_000, 12 * 10**9)
    assert with_network(load_wires("a100-nvswitch", PCIE), "1us,1GB/s", PCIE).network == Wire(1000, 10**9)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.toml", 'latency = "5us"\n', "bandwidth: missing"),
        ("x.toml", 'latency = "5us"\nbandwidth = "1GB/s"\nspeed = 1\n', "speed: unknown key"),
        ("x.toml", 'latency = "5us"\nbandwidth = "1GB/s"\n[send_recv]\nbytes = [1]\nus = [1]\n', "two sizes"),
        ("x.toml", 'latency = "5us"\nbandwidth = "1GB/s"\n[send_recv]\nbytes = [1, 2]\nus = [0, 1]\n', "positive"),
        (
            "x.toml",
            'latency = "5us"\nbandwidth = "1GB/s"\n[[all_reduce]]\nbytes = [1, 2]\nus = [1, 1]\n',
            "two workers",
        ),
        ("x.toml", 'latency = "5us"\nbandwidth = "1GB/s"\n[send_recv]\nbytes = [0.3, 2]\nus = [1, 1]\n', "than a byte"),
        ("x.csv", "size,us\n1,1\n", "no column 'bytes'"),
        ("x.csv", "bytes,us\n1,1\n", "two sizes"),
        ("x.csv", "bytes,us\n1,1\n2,fast\n", "x.csv:3: us: 'fast'"),
        ("x.csv", "bytes,us\n0.3,1\n2,1\n", "x.csv:2: bytes: '0.3'"),
        ("x.csv", "bytes,us\n1,1\n", "two sizes are needed$"),
        ("x.csv", "workers,bytes,us\n1,1,1\n", "x.csv:2: workers"),
        ("x.csv", "workers,bytes,us\n2.5,1,1\n2.5,2,1\n", "x.csv:2: workers: '2.5'"),
    ],
)
def test_what_is_wrong_in_a_file_is_told(tmp_path: Path, name: str, text: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        load(tmp_path / name, text)


@pytest.mark.parametrize(
    ("name", "said"), [("lan", "unknown link 'lan'"), ("10us,0B/s", "more than 0"), ("1us,2us", "not a rate")]
)
def test_what_is_no_link_is_told(name: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        load_wires(name, PCIE)


def test_a_network_is_refused_under_its_own_name() -> None:
    for name in ("lan", "10us,0B/s", ""):
        with pytest.raises(InputError, match=r"^--network: "):
            with_network(load_wires("10us,12GB/s", PCIE), name, PCIE)


def test_a_host_that_is_not_full() -> None:
    """12 workers on hosts of 8 are 12: more than 8 in one host, fewer than the 16 that were measured."""
    wires = load_wires("a100-nvswitch", PCIE)
    assert wires.all_reduce_ns(2, 8, 10**6, 12) is None
    full, less = wires.all_reduce_ns(4, 8, 10**6), wires.all_reduce_ns(4, 8, 10**6, 25)
    assert full is not None
    assert less is not None
    assert less < full


def test_sending_takes_what_the_scheduler_says_and_more_than_it_can_hold() -> None:
    sizes = np.array([0, 1, 999, 12_345_678, 2**40 + 1, 2**53 + 1], np.int64)
    for wire in (Wire(10_000, 12 * 10**9), Wire(0, 7_000_003)):
        expected = link_ns(sizes, wire.latency_ns, wire.bytes_per_s).tolist()
        assert [wire.send_ns(size) for size in sizes.tolist()] == expected
    assert Wire(0, 1).send_ns(2**70) == 2**70 * 10**9
