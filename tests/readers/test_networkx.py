import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from pardnn.errors import InputError
from pardnn.readers import load
from pardnn.readers.costgraph import read_cost_graph
from pardnn.readers.networkx import from_networkx, to_networkx


def test_a_drawn_graph() -> None:
    graph = nx.DiGraph()
    graph.add_node("b", time_us=np.float64(1.5), output_bytes=np.int64(4), op="MatMul", device="/device:GPU:1")
    graph.add_node(7, resident_bytes=3, temp_bytes=2.5, colocate="g")
    graph.add_edge(7, "b", bytes=np.float32(8))
    costs = from_networkx(graph)
    assert costs.names == ("b", "7")
    assert costs.ops == ("MatMul", "")
    assert costs.time_ns.tolist() == [1500, 0]
    assert (costs.resident_bytes.tolist(), costs.temp_bytes.tolist()) == ([0, 3], [0, 3])
    assert (costs.src.tolist(), costs.dst.tolist(), costs.edge_bytes.tolist()) == ([1], [0], [8])
    assert (costs.device, costs.colocate) == (("/device:GPU:1", None), (None, "g"))
    assert to_networkx(costs).nodes["b"] == {
        "time_us": 1.5, "resident_bytes": 0, "output_bytes": 4, "temp_bytes": 0,
        "op": "MatMul", "device": "/device:GPU:1",
    }  # fmt: skip
    assert dict(to_networkx(costs).edges) == {("7", "b"): {"bytes": 8}}


def test_a_shared_graph_there_and_back(shared: Path) -> None:
    path = shared / "data/cost_graphs/pd_inception_v3.json.gz"
    costs = read_cost_graph(load(path).data, path)
    graph = to_networkx(costs)
    assert type(graph) is nx.DiGraph
    back = from_networkx(graph)
    assert back.names == costs.names
    assert back.time_ns.tolist() == costs.time_ns.tolist()
    edges = zip(costs.src, costs.dst, costs.edge_bytes, strict=True)
    assert set(zip(back.src, back.dst, back.edge_bytes, strict=True)) == set(edges)


def test_parallel_edges_are_kept_apart() -> None:
    columns = {"time": [1, 1], "resident": [0, 0], "output": [3, 3], "temp": [0, 0]}
    edges = {"src": [0, 0], "dst": [1, 1], "bytes": [1, 2]}
    costs = read_cost_graph(json.dumps(columns | edges).encode(), "x")
    assert type(to_networkx(costs)) is nx.MultiDiGraph
    assert from_networkx(to_networkx(costs)).edge_bytes.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (nx.path_graph(2), "is a Graph; a directed graph"),
        (nx.DiGraph(), "has no nodes"),
        (nx.relabel_nodes(nx.path_graph(2, nx.DiGraph), {1: "0"}), "two nodes are called '0'"),
        ({"a": []}, "is a dict"),
    ],
)
def test_what_cannot_be_taken(graph: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_networkx(graph)


def test_costs_that_are_no_numbers() -> None:
    graph = nx.DiGraph()
    graph.add_node("a", time_us=-1)
    with pytest.raises(InputError, match="column 'time': number 0 is -1"):
        from_networkx(graph)
    graph.add_node("a", time_us=object())
    with pytest.raises(InputError, match="neither number nor text"):
        from_networkx(graph)
