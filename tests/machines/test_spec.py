from fractions import Fraction
from pathlib import Path

import pytest

from pardnn.errors import InputError
from pardnn.machines.build import build_machine
from pardnn.machines.card import card_names, load_card
from pardnn.machines.spec import load_machine, preset_names

LAB = """
description = "two unlike cards"
latency = "20us"
bandwidth = "10GB/s"
[[gpu]]
card = "k80"
count = 1
speed = 0.5
[[gpu]]
card = "mine"
count = 2
memory = "unlimited"
[host]
latency = "5us"
bandwidth = "20GB/s"
[card.mine]
single_flops_per_s = 1e12
memory_bytes_per_s = "100GB/s"
memory = "3GB"
launch = "1us"
"""


def test_the_promised_presets_exist_and_all_build() -> None:
    promised = {"pcie3", "dgx2-v100", "dgx1-v100", "dgx-a100", "dgx-h100", "ethernet-25g"}
    assert promised <= set(preset_names())
    for name in preset_names():
        assert build_machine(load_machine(name), 1, host=True).machine.k == 2


def test_every_card_that_ships_is_plausible() -> None:
    assert {"v100", "p100", "t4", "a100-40", "a100-80", "h100", "l4", "k80", "m60", "cpu"} <= set(card_names())
    for name in card_names():
        card = load_card(name)
        assert 1e12 <= card.single_flops_per_s <= card.tf32_flops_per_s <= 1e15
        assert card.single_flops_per_s <= card.half_flops_per_s <= 2e15
        assert 100e9 <= card.memory_bytes_per_s <= 5e12
        assert 1_000 <= card.launch_ns <= 20_000
        assert 0.3 <= card.sustained <= 1


def test_a_users_file(tmp_path: Path) -> None:
    (tmp_path / "lab.toml").write_text(LAB)
    spec = load_machine(str(tmp_path / "lab.toml"))
    assert [(gpu.card.name, gpu.memory_bytes) for gpu in spec.gpus] == [
        ("k80", 12_000_000_000),
        ("mine", None),
        ("mine", None),
    ]
    hardware = build_machine(spec, host=True)
    assert hardware.speed == (Fraction(1, 2), Fraction(1), Fraction(1), Fraction(1))
    assert hardware.machine.latency_ns[0].tolist() == [20_000, 20_000, 20_000, 5_000]
    assert hardware.machine.bytes_per_s[3, 0] == 20_000_000_000


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('latency = "20us"\n', "", "latency: missing"),
        ('"10GB/s"', '"10Gb/s"', "bandwidth: not a rate"),
        ('"10GB/s"', '"0GB/s"', "bandwidth: more than 0"),
        ('card = "k80"', 'card = "k8"', r"gpu\[0\].card: unknown card 'k8'"),
        ("count = 2", "count = 0", r"gpu\[1\].count: a whole number"),
        ("count = 2", "count = 1024", "gpu: 1025 GPUs"),
        ("speed = 0.5", "speed = -1", r"gpu\[0\].speed: a positive number"),
        ("speed = 0.5", "spead = 1", r"gpu\[0\].spead: unknown key"),
        ('memory = "unlimited"', "memory = true", r"gpu\[1\].memory: not a size"),
        ("1e12", "nan", "card.mine.single_flops_per_s: a positive number"),
        ('launch = "1us"', "launch = 1", "card.mine.launch: not a time"),
        ("[host]", "[host", "not a TOML file"),
        ("[[gpu]]", "[[gpus]]", "gpus: unknown key"),
    ],
)
def test_a_faulty_file_is_refused_by_file_and_key(tmp_path: Path, old: str, new: str, words: str) -> None:
    assert old in LAB
    path = tmp_path / "lab.toml"
    path.write_text(LAB.replace(old, new))
    with pytest.raises(InputError, match=words) as error:
        load_machine(str(path))
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


def test_unknown_names_and_unreadable_files() -> None:
    with pytest.raises(InputError, match="unknown machine 'dgx9': give a TOML file or one of dgx-a100"):
        load_machine("dgx9")
    with pytest.raises(InputError, match=r"nowhere.toml: cannot be read"):
        load_machine("nowhere.toml")
