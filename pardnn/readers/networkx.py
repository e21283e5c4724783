"""Cost graphs as networkx graphs and back.

Node attributes are `time_us`, `resident_bytes`, `output_bytes`, `temp_bytes`, `op`, and where they are set `colocate`
and `device`; the edge attribute is `bytes`.
"""

from __future__ import annotations

import json
from typing import Any

import networkx as nx

from pardnn.errors import InputError
from pardnn.readers.costgraph import CostGraph, read_cost_graph, write_cost_graph

_ATTRIBUTES = {
    "time": "time_us",
    "resident": "resident_bytes",
    "output": "output_bytes",
    "temp": "temp_bytes",
    "op": "op",
}
_OPTIONAL = ("colocate", "device")


def from_networkx(graph: Any, path: str = "networkx graph") -> CostGraph:
    """The cost graph of a DiGraph or MultiDiGraph; nodes and edges in its order, names by `str`, missing costs 0.

    Raises InputError as for a file, with `path` for its name.
    """
    if not isinstance(graph, nx.DiGraph):
        raise InputError(f"{path}: is a {type(graph).__name__}; a directed graph (networkx.DiGraph) is needed")
    number = {node: index for index, node in enumerate(graph)}
    edges = [(number[a], number[b], size) for a, b, size in graph.edges(data="bytes", default=0)]
    columns: dict[str, Any] = {"name": [str(node) for node in graph]}
    for column, attribute in _ATTRIBUTES.items():
        columns[column] = [
            _plain(value) for _, value in graph.nodes(data=attribute, default="" if column == "op" else 0)
        ]
    for column in _OPTIONAL:
        columns[column] = [value for _, value in graph.nodes(data=column, default=None)]
    for index, column in enumerate(("src", "dst", "bytes")):
        columns[column] = [_plain(edge[index]) for edge in edges]
    try:
        data = json.dumps(columns)
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: an attribute is neither number nor text: {error}") from None
    return read_cost_graph(data.encode(), path)


def to_networkx(graph: CostGraph) -> Any:
    """The graph as a networkx.DiGraph; a MultiDiGraph where two edges join the same nodes, for a DiGraph keeps one."""
    columns = json.loads(write_cost_graph(graph, packed=False))
    ends = list(zip(graph.src.tolist(), graph.dst.tolist(), strict=True))
    made = nx.DiGraph() if len(set(ends)) == len(ends) else nx.MultiDiGraph()
    for index, name in enumerate(graph.names):
        attributes = {attribute: columns[column][index] for column, attribute in _ATTRIBUTES.items()}
        for column in _OPTIONAL:
            if column in columns and columns[column][index] is not None:
                attributes[column] = columns[column][index]
        made.add_node(name, **attributes)
    for (src, dst), size in zip(ends, graph.edge_bytes.tolist(), strict=True):
        made.add_edge(graph.names[src], graph.names[dst], bytes=size)
    return made


def _plain(value: Any) -> Any:
    """A numpy scalar as Python's number."""
    return value.item() if hasattr(value, "item") else value
