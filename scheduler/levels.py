"""Top and bottom levels: the longest way from a source to a node, and from a node to a sink."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler import _walk
from scheduler.dag import Dag

Times = NDArray[np.int64]


def top_levels(dag: Dag, node_ns: Times, edge_ns: Times) -> Times:
    """[n] the longest path from a source to v, nodes and edges counted, v itself not: its earliest start. O(n + m)."""
    level = np.zeros(dag.n, np.int64)
    _walk.longest_paths(dag.order, dag.in_ptr, dag.in_edge, dag.src, node_ns, edge_ns, level)
    return level


def bottom_levels(dag: Dag, node_ns: Times, edge_ns: Times) -> Times:
    """[n] the longest path from v to a sink, nodes and edges counted, v included. O(n + m)."""
    level = np.zeros(dag.n, np.int64)
    _walk.longest_paths(
        np.ascontiguousarray(dag.order[::-1]), dag.out_ptr, dag.out_edge, dag.dst, node_ns, edge_ns, level
    )
    return level + node_ns
