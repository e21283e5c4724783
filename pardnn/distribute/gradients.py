"""Which tensors workers synchronise: after which op each is there, how large it is, and who waits for its sum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.errors import InputError
from pardnn.graph.opgraph import OpGraph
from pardnn.graph.roles import find_roles
from pardnn.graph.wiring import split_input
from scheduler.dag import Dag, frozen
from scheduler.workload import Workload

_PASSES = frozenset({"Identity", "IdentityN"})


@dataclass(frozen=True, eq=False)
class Gradients:
    """g gradients of a step of n ops, in the order of their ops' numbers."""

    source: NDArray[np.int32]
    """[g] the op that makes it."""
    nbytes: NDArray[np.int64]
    """[g]"""
    reader: NDArray[np.int32]
    """[r] ops that wait for a sum, one entry for each gradient that one waits for."""
    of_reader: NDArray[np.int32]
    """[r] which gradient it is."""
    again: NDArray[np.int32]
    """[p, 2] update and op: the op reads, in the next step, the weight that the update changes."""
    exact: bool = True
    """False where nothing says which tensors are gradients: then resident bytes count as such, there at the end."""

    @property
    def total_bytes(self) -> int:
        """What every worker has to synchronise in a step."""
        return int(self.nbytes.sum())


def find_gradients(graph: OpGraph, workload: Workload, name: str) -> Gradients:
    """The gradients of a training step by the roles of its variables. O(n + m).

    An Identity or IdentityN on the way, such as the one through which Keras hands all gradients at once, holds no
    gradient back: each is there when the op before is done. Raises InputError where there is none.
    """
    source: list[int] = []
    nbytes: list[int] = []
    reader: list[int] = []
    of_reader: list[int] = []
    dag, index = graph.dag, {node.name: v for v, node in enumerate(graph.nodes)}
    roles = find_roles(graph)
    for made, port in sorted(roles.gradients):
        edges = [e for e in dag.out_edge[dag.out_ptr[made] : dag.out_ptr[made + 1]] if graph.edge_port[e] == port]
        size = max((int(workload.edge_bytes[e]) for e in edges), default=0)
        if not size:
            continue
        reader += [int(dag.dst[e]) for e in edges]
        of_reader += [len(source)] * len(edges)
        source.append(_origin(graph, index, made, port))
        nbytes.append(size)
    if not source:
        raise InputError(
            f"{name}: has no gradients, so that there is nothing to synchronise: scale needs a training step, "
            "such as `pardnn extract` writes, with the optimizer's updates in it"
        )
    weights = [v for v, role in sorted(roles.variables.items()) if role == "weights"]
    return Gradients(
        frozen(source, np.int32), frozen(nbytes, np.int64), frozen(reader, np.int32), frozen(of_reader, np.int32),
        _again(dag, weights, after(dag, reader)),
    )  # fmt: skip


def after(dag: Dag, nodes: Sequence[int]) -> list[bool]:
    """[n] whether a node is one of these or comes after one. O(n + m)."""
    found = [False] * dag.n
    for v in nodes:
        found[v] = True
    out_ptr, out_edge, dst = dag.out_ptr.tolist(), dag.out_edge.tolist(), dag.dst.tolist()
    for v in dag.order.tolist():
        if found[v]:
            for e in out_edge[out_ptr[v] : out_ptr[v + 1]]:
                found[dst[e]] = True
    return found


def _again(dag: Dag, weights: list[int], updates: list[bool]) -> NDArray[np.int32]:
    """Of each weight, whoever has it after its gradient's sum, and whoever else reads it."""
    pairs = []
    for v in weights:
        ends = dict.fromkeys(dag.dst[dag.out_edge[dag.out_ptr[v] : dag.out_ptr[v + 1]]].tolist())
        pairs += [(u, r) for u in ends if updates[u] for r in ends if not updates[r]]
    return frozen(np.array(pairs, np.int32).reshape(-1, 2), np.int32)


def resident_gradients(workload: Workload, name: str) -> Gradients:
    """The resident bytes of a cost graph as gradients that are there at the end of a step: an upper bound both ways."""
    held = np.flatnonzero(workload.resident_bytes)
    if not len(held):
        raise InputError(
            f"{name}: none of its nodes has resident bytes, which count as gradients, so that there is nothing to "
            "synchronise: give the graph file that the costs are of, or fill the column 'resident'"
        )
    none = frozen([], np.int32)
    return Gradients(
        frozen(held, np.int32), frozen(workload.resident_bytes[held], np.int64), none, none, none.reshape(-1, 2),
        exact=False,
    )  # fmt: skip


def _origin(graph: OpGraph, index: dict[str, int], v: int, port: int) -> int:
    """The op behind those that only hand its value on."""
    while graph.nodes[v].op in _PASSES:
        given = [text for text in graph.nodes[v].inputs if text[:1] != "^"]
        name, before = split_input(given[port]) if port < len(given) else ("", 0)
        if name not in index:
            break
        v, port = index[name], before
    return v
