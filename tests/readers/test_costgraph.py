"""Cost graphs: rounded as the judge rounds, checked column by column, written so that they come back."""

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pardnn.errors import InputError
from pardnn.readers import load
from pardnn.readers.costgraph import CostGraph, read_cost_graph, write_cost_graph

GRAPH: dict[str, Any] = {
    "time": [1.5, 2, 0], "resident": [0, 8, 0.5], "output": [4, 4, 4], "temp": [0, 0, 0],
    "src": [0, 1], "dst": [1, 2], "bytes": [4, 0],
}  # fmt: skip


def read(**changed: Any) -> CostGraph:
    columns = GRAPH | changed
    return read_cost_graph(json.dumps({k: v for k, v in columns.items() if v != "absent"}).encode(), "g.json")


def test_a_small_graph() -> None:
    graph = read(colocate=["a", None, "a"], device=[None, None, "/device:GPU:1"], comment="ignored")
    assert graph.names == ("0", "1", "2")
    assert graph.ops == ("", "", "")
    assert graph.time_ns.tolist() == [1500, 2000, 0]
    assert graph.resident_bytes.tolist() == [0, 8, 1]
    assert graph.edge_bytes.tolist() == [4, 0]
    assert (graph.src.tolist(), graph.dst.tolist()) == ([0, 1], [1, 2])
    assert graph.colocate == ("a", None, "a")
    assert graph.device == (None, None, "/device:GPU:1")
    assert (graph.time_ns.dtype.name, graph.src.dtype.name) == ("int64", "int32")
    with pytest.raises(ValueError, match="read-only"):
        graph.time_ns[0] = 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"temp": "absent"}, "column 'temp': is missing"),
        ({"src": "absent"}, "column 'src': is missing"),
        ({"time": "absent"}, "is JSON but no cost graph"),
        ({"time": 5}, "column 'time': is no list"),
        ({"time": [], "src": [], "dst": [], "bytes": []}, "has no nodes"),
        ({"output": [1, 2]}, "column 'output': has 2 values, 'time' has 3"),
        ({"name": ["a", "b"]}, "column 'name': has 2 values, 'time' has 3"),
        ({"dst": [1]}, "column 'dst': has 1 values, 'src' has 2"),
        ({"bytes": [1, 2, 3]}, "column 'bytes': has 3 values, 'src' has 2"),
        ({"time": [1, -2, 3]}, "column 'time': number 1 is -2, a cost is not negative"),
        ({"time": [1, True, 3]}, "column 'time': number 1 is true, not a number"),
        ({"time": [1, "2", 3]}, "column 'time': number 1 is \"2\", not a number"),
        ({"temp": [1, None, 3]}, "column 'temp': number 1 is null, not a number"),
        ({"time": [1, float("nan"), 3]}, "no valid JSON: NaN is no cost"),
        ({"time": [1, float("inf"), 3]}, "no valid JSON: Infinity is no cost"),
        ({"output": [2**62, 0, 0]}, "column 'output': its sum is beyond 2\\^62 bytes"),
        ({"output": [2**61, 2**61, 0]}, "column 'output': its sum is beyond"),
        ({"output": [10**400, 0, 0]}, "column 'output': its sum is beyond"),
        ({"time": [1e300, 0, 0]}, "column 'time': its sum is beyond 2\\^62 nanoseconds"),
        ({"src": [0, 3]}, "column 'src': edge 1 names node 3, nodes are 0 to 2"),
        ({"dst": [-1, 1]}, "column 'dst': edge 0 names node -1"),
        ({"dst": [2**40, 1]}, "column 'dst': edge 0 names node 1099511627776"),
        ({"dst": [1.0, 2]}, "column 'dst': number 0 is 1.0, not a node number"),
        ({"dst": [True, 2]}, "column 'dst': number 0 is true, not a node number"),
        ({"name": ["a", "b", "a"]}, "column 'name': two nodes are called 'a'"),
        ({"name": ["a", 1, "b"]}, "column 'name': number 1 is 1, not a text"),
        ({"name": ["a", "\ud800", "b"]}, "column 'name': holds half a character"),
        ({"op": [None, "x", "y"]}, "column 'op': number 0 is null, not a text"),
        ({"device": [1, None, None]}, "column 'device': number 0 is 1, not a text or null"),
    ],
)
def test_what_is_wrong_is_named(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        read(**changed)
    assert str(error.value).startswith("g.json: ")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"time": [1],\n "src" []}', r"g\.json:2: no valid JSON"),
        (b"[" * 100_000, "no valid JSON"),
        (b"[1]", "no cost graph"),
        (b'{"time": [' + b"9" * 5000 + b"]}", "no valid JSON"),
        (b'{"time": [1e999], "src": [], "dst": []}', "its sum is beyond"),
        (b'{"\xff": 1}', "no valid JSON"),
    ],
)
def test_what_is_no_cost_graph(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        read_cost_graph(data, "g.json")
    assert "\n" not in str(error.value)


def judge(shared: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("evaluate", shared / "judge" / "evaluate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_shared_graphs_are_rounded_as_the_judge_rounds(shared: Path) -> None:
    evaluate = judge(shared)
    files = sorted(shared.glob("data/cost_graphs/*.json.gz"))
    assert len(files) == 14
    for path in files:
        graph = read_cost_graph(load(path).data, path)
        columns = evaluate.load(path)
        time, size, _ = evaluate.prepare(columns, 0.0, 1.0)
        assert graph.time_ns.tolist() == time
        assert graph.edge_bytes.tolist() == size
        assert graph.output_bytes.tolist() == [evaluate.whole(x) for x in columns["output"]]
        assert read_cost_graph(write_cost_graph(graph, packed=False), path) == graph


@given(st.lists(st.floats(0, 1e12) | st.integers(0, 10**12), min_size=1, max_size=20))
def test_random_costs_are_rounded_as_the_judge_rounds(costs: list[float]) -> None:
    n = len(costs)
    graph = read(time=costs, resident=costs, output=[0] * n, temp=[0] * n, src=[], dst=[], bytes=[])
    assert graph.time_ns.tolist() == [int((x * 1000 + 0.5) // 1) for x in costs]
    assert graph.resident_bytes.tolist() == [int((x + 0.5) // 1) for x in costs]


@given(st.lists(st.integers(0, 2**51), min_size=1, max_size=20))
def test_any_time_comes_back_to_the_nanosecond(times: list[int]) -> None:
    zero = np.zeros(len(times), np.int64)
    none = np.zeros(0, np.int32)
    names = tuple(f"n{i}é" for i in range(len(times)))
    graph = CostGraph(
        names, ("op",) * len(times), np.array(times), zero, zero, zero + 2**50, none, none, none.astype(np.int64)
    )
    assert read_cost_graph(write_cost_graph(graph, packed=False), "x") == graph


def test_equal_graphs_give_equal_bytes(tmp_path: Path) -> None:
    graph = read(colocate=["a", None, "a"])
    packed = write_cost_graph(graph, packed=True)
    assert packed == write_cost_graph(read(colocate=["a", None, "a"]), packed=True)
    (tmp_path / "g").write_bytes(packed)
    assert read_cost_graph(load(tmp_path / "g").data, "g") == graph
