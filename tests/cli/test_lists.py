"""`pardnn compare`, `methods`, `machines`, `env`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pardnn.machines.spec import preset_names
from pardnn.registry import partitioners
from tests.cli.conftest import Program


def test_methods_are_compared_in_the_order_asked_for(pardnn: Program, diamond: Path) -> None:
    results = pardnn("compare", diamond, "--gpus", 2, "--methods", "single,heft", "--json").result["results"]
    assert [row["method"] for row in results] == ["single", "heft"]
    assert [row["makespan_us"] for row in results] == [1020, 530.084]
    table = pardnn("compare", diamond.name, "--gpus", 2, "--methods", "single,heft").out.splitlines()
    assert table[0] == "diamond.json"
    assert [line.split()[0] for line in table[1:4]] == ["method", "single", "heft"]
    assert table[4] == "one device 1.02 ms, no placement is faster than 530 us"


def test_a_method_that_does_not_fit_is_a_row_with_the_reason(
    pardnn: Program, diamond: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pardnn.errors import DoesNotFit
    from pardnn.partitioners.fill import Fill

    def never(*_: object) -> None:
        raise DoesNotFit("op number 1 is too big", node=1)

    monkeypatch.setattr(Fill, "__call__", never)
    done = pardnn("compare", diamond, "--gpus", 2, "--methods", "fill,heft", "--json")
    assert (done.code, done.result["results"][0]["error"]) == (0, "op 'b' is too big")
    assert done.result["results"][1]["error"] is None
    shown = pardnn("compare", diamond, "--gpus", 2, "--methods", "fill,heft").out
    assert "fill" in shown
    assert "fill: op 'b' is too big" in shown
    assert pardnn("compare", diamond, "--gpus", 2, "--methods", "fill").code == 3


def test_several_graphs_are_compared(pardnn: Program, diamond: Path, tmp_path: Path) -> None:
    (tmp_path / "other.json").write_bytes(diamond.read_bytes())
    results = pardnn("compare", diamond, "other.json", "--gpus", 2, "--methods", "fill", "--json").result["results"]
    assert [Path(row["graph"]).name for row in results] == ["diamond.json", "other.json"]


def test_every_registered_method_is_listed(pardnn: Program) -> None:
    listed = pardnn("methods", "--json").result["methods"]
    assert [row["name"] for row in listed] == ["auto", "exact", *partitioners.all()]
    assert all(row["summary"] for row in listed)
    shown = pardnn("methods").out
    assert all(row["name"] in shown for row in listed)


def test_every_machine_is_listed(pardnn: Program) -> None:
    listed = {row["name"]: row for row in pardnn("machines", "--json").result["machines"]}
    assert tuple(listed) == preset_names()
    assert (listed["pcie3"]["latency_ns"], listed["pcie3"]["bytes_per_s"]) == (10_000, 12 * 10**9)
    assert (listed["dgx2-v100"]["gpus"], listed["dgx2-v100"]["mem_bytes"][0]) == (16, 32 * 10**9)
    assert all(name in pardnn("machines").out for name in listed)


def test_env_tells_versions_without_importing(pardnn: Program, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delitem(sys.modules, "tensorflow", raising=False)
    found = pardnn("env", "--json").result
    assert found["packages"]["numpy"]
    assert "tensorflow" in found["packages"]
    assert "tensorflow" not in sys.modules
    assert found["cores"] >= 1
    assert "numpy" in pardnn("env").out
