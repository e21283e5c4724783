"""Depth and size: a chain of 100,000 ops goes through the whole pipeline without recursion, and in time."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tests.cli.conftest import Program

_DEEP = [pytest.param(5_000, id="5,000"), pytest.param(100_000, id="100,000", marks=pytest.mark.slow)]


def text_chain(path: Path, n: int) -> Path:
    """x -> Relu -> Identity -> ... in a text file, with a branch half way down."""
    shape = 'attr { key: "shape" value { shape { dim { size: 1000 } } } }'
    lines = [f'node {{ name: "n0" op: "Placeholder" attr {{ key: "dtype" value {{ type: DT_FLOAT }} }} {shape} }}\n']
    lines += (
        f'node {{ name: "n{i}" op: "{"Relu" if i % 2 else "Identity"}" input: "n{i - 1}"'
        ' attr { key: "T" value { type: DT_FLOAT } } }\n'
        for i in range(1, n)
    )
    lines.append(
        f'node {{ name: "side" op: "Exp" input: "n{n // 2}" attr {{ key: "T" value {{ type: DT_FLOAT }} }} }}\n'
    )
    path.write_text("".join(lines))
    return path


def cost_chain(path: Path, n: int) -> Path:
    columns = {
        "time": [1] * n, "resident": [8] * n, "output": [8] * n, "temp": [0] * n,
        "src": list(range(n - 1)), "dst": list(range(1, n)), "bytes": [8] * (n - 1),
    }  # fmt: skip
    path.write_text(json.dumps(columns))
    return path


@pytest.mark.parametrize("n", _DEEP)
@pytest.mark.parametrize("make", [text_chain, cost_chain])
def test_a_chain_goes_through(pardnn: Program, tmp_path: Path, make: object, n: int) -> None:
    graph = make(tmp_path / f"chain{'.pbtxt' if make is text_chain else '.json'}", n)  # type: ignore[operator]
    started = time.perf_counter()
    done = pardnn("partition", graph, "--gpus", 2, "--mem", "16GB", "-o", "chain.placement.json", "--json")
    seconds = time.perf_counter() - started
    assert done.code == 0, done.err
    assert seconds - done.result["seconds"]["compile"] < 30
    assert done.result["nodes"] == n + (make is text_chain)
    assert done.result["makespan_us"] <= done.result["single_device_us"]
    if make is cost_chain:
        assert done.result["makespan_us"] == done.result["lower_bound_us"] == n
    for command in (
        ("simulate", graph, "chain.placement.json"),
        ("check", graph, "chain.placement.json", "--max-makespan", "+0%"),
        ("estimate", graph),
        ("inspect", graph),
    ):
        again = pardnn(*command, "--json", "-q")
        assert again.code == 0, again.err
    assert again.result["depth"] == n


def test_an_op_of_a_deep_chain_is_explained(pardnn: Program, tmp_path: Path) -> None:
    graph = text_chain(tmp_path / "chain.pbtxt", 5_000)
    assert pardnn("partition", graph, "--gpus", 2, "--method", "fill", "-o", "p.placement.json").code == 0
    assert pardnn("explain", graph, "p.placement.json", "n2500").code == 0
