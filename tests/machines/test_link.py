"""A link from transfers, some of which were held up, and the machine file that has it."""

from pathlib import Path

import pytest

from pardnn.errors import InputError
from pardnn.machines.build import build_machine
from pardnn.machines.link import fit_link, known_card, machine_file
from pardnn.machines.spec import load_machine
from scheduler.sharing import Sharing

SIZES = (4, 256, 4096, 65536, 1 << 20, 1 << 22, 1 << 24, 1 << 26)


def test_a_straight_line_is_found_in_spite_of_two_slow_transfers() -> None:
    seconds = [300e-6 + size / 1.2e9 for size in SIZES]
    seconds[1] *= 20
    seconds[5] *= 5
    link = fit_link(SIZES, seconds)
    assert link.latency_ns == pytest.approx(300_000, rel=0.01)
    assert link.bytes_per_s == pytest.approx(1.2e9, rel=0.01)
    assert link.off < 0.01


def test_where_nothing_is_copied_there_is_no_bandwidth() -> None:
    link = fit_link(SIZES, [12e-6, 9e-6, 11e-6, 8e-6, 10e-6, 12e-6, 9e-6, 10e-6])
    assert not link.copies
    assert 8000 <= link.latency_ns <= 12_000


@pytest.mark.parametrize(
    ("device", "card"), [("", "cpu"), ("NVIDIA A100-SXM4-80GB", "a100-80"), ("Tesla T4", "t4"), ("Radeon VII", "v100")]
)
def test_the_machine_file_reads_back(tmp_path: Path, device: str, card: str) -> None:
    path = tmp_path / "here.toml"
    path.write_text(machine_file(fit_link(SIZES, [300e-6 + size / 1.2e9 for size in SIZES]), "over gRPC", device))
    machine = load_machine(str(path))
    assert (machine.latency_ns, machine.bytes_per_s) == (300_000, 1_200_000_000)
    assert (machine.extensible, machine.gpus[0].card.name, machine.gpus[0].memory_bytes) == (True, card, None)
    assert ("none of the cards" in path.read_text()) == (device == "Radeon VII")


def test_a_card_is_known_by_its_longest_name() -> None:
    assert known_card("NVIDIA GeForce RTX 4090") == "rtx4090"
    assert known_card("NVIDIA H100 80GB HBM3") == "h100"
    assert known_card("NVIDIA L40S") is None
    assert (known_card("NVIDIA A100-SXM4-40GB"), known_card("NVIDIA A100-PCIE")) == ("a100-40", "a100-80")


def test_a_machine_of_cores_reads_back(tmp_path: Path) -> None:
    path = tmp_path / "cores.toml"
    sharing = Sharing(73_000, 72_000, 5e-10, 4e-10, 3)
    path.write_text(machine_file(fit_link(SIZES, [300e-6 + size / 1.2e9 for size in SIZES]), "by gRPC", "", sharing))
    assert build_machine(load_machine(str(path)), 2).sharing == sharing
    assert build_machine(load_machine("pcie3"), 2).sharing is None


def test_what_is_wrong_with_cores_is_told(tmp_path: Path) -> None:
    path = tmp_path / "cores.toml"
    path.write_text('latency = "1us"\nbandwidth = "1GB/s"\n[[gpu]]\n[sharing]\nsend = "1us"\n')
    with pytest.raises(InputError, match=r"sharing\.receive: "):
        load_machine(str(path))
