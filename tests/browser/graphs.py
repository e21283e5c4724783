"""Graphs for pages: names with scopes, and names that mean harm."""

from __future__ import annotations

from typing import Any

import networkx as nx

HOSTILE = (
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\x1b[31mred\x1b[0m",
    "\u202eevil\u202c",
    "line\nbreak\u2028and\u2029more",
    "x" * 4000,
    "&lt;b&gt;",
    "__proto__",
    "constructor/toString",
    "עברית/🙂é",
)


def layered(n: int) -> nx.DiGraph[Any]:
    """n ops in layers of ten, named by layer and block."""
    graph: nx.DiGraph[Any] = nx.DiGraph()
    for v in range(n):
        layer, place = divmod(v, 10)
        name = f"net/block_{layer // 5}/layer_{layer}/op_{place}/MatMul"
        graph.add_node(
            name, op="MatMul", time_us=5 + 7 * place, resident_bytes=1000 * place, output_bytes=4000, temp_bytes=100
        )
    names = list(graph)
    for v in range(10, n):
        graph.add_edge(names[v - 10], names[v], bytes=4000)
        graph.add_edge(names[v - 10 - v % 10], names[v], bytes=4000)
    return graph


def hostile() -> nx.DiGraph[Any]:
    """One op after the other under names that mean harm, types too."""
    graph: nx.DiGraph[Any] = nx.DiGraph()
    for name in HOSTILE:
        graph.add_node(name, op="<script>alert(2)</script>", time_us=10, output_bytes=100)
    nx.add_path(graph, HOSTILE, bytes=100)
    return graph
