"""From input strings to edges: which node and output port each input names, and what it waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.errors import InputError
from pardnn.graph.raw import RawNode

CONTROL = -1
"""The port of a control edge."""
MOST_OUTPUTS = 1 << 16
"""No op has more outputs; a port beyond is damage, and must not make us count so far."""


@dataclass(frozen=True, eq=False)
class Wiring:
    """Nodes by number and the edges between them, cycles included.

    Columns over edges: `src`, `dst`, `port` (CONTROL or the producer's output port), one edge for each distinct value
    a node consumes. `inputs[v]` lists the data inputs of v in argument order as (producer, port), repeats included.
    """

    nodes: tuple[RawNode, ...]
    index: Mapping[str, int]
    src: NDArray[np.int32]
    dst: NDArray[np.int32]
    port: NDArray[np.int32]
    inputs: tuple[tuple[tuple[int, int], ...], ...]

    @property
    def n(self) -> int:
        """Number of nodes."""
        return len(self.nodes)


def split_input(text: str) -> tuple[str, int]:
    """(producer, port) of an input as written; the port is CONTROL for "^x".

    >>> split_input("x"), split_input("x:1"), split_input("^x")
    (('x', 0), ('x', 1), ('x', -1))
    """
    if text.startswith("^"):
        return text[1:], CONTROL
    name, colon, port = text.rpartition(":")
    return (name, port_number(port)) if colon and port.isdecimal() else (text, 0)


def port_number(digits: str) -> int:
    """A port as written; MOST_OUTPUTS for any of more than nine digits: `int` refuses numbers of thousands."""
    return int(digits) if len(digits) <= 9 else MOST_OUTPUTS


def number_nodes(nodes: Sequence[RawNode]) -> dict[str, int]:
    """Node numbers by name; a name that occurs twice raises InputError."""
    index = {node.name: i for i, node in enumerate(nodes)}
    if len(index) < len(nodes):
        name = next(node.name for i, node in enumerate(nodes) if index[node.name] != i)
        raise InputError(f"node '{shortened(name)}' occurs twice: names must be unique, remove or rename one")
    return index


def wire(nodes: Sequence[RawNode]) -> Wiring:
    """The graph the nodes' inputs describe, in file order. O(nodes + inputs).

    A value consumed twice by one node is one edge; a control edge is dropped where data goes the same way.
    """
    index = number_nodes(nodes)
    parsed: dict[str, tuple[int, int]] = {}  # inputs repeat a lot: each spelling is looked up once
    src: list[int] = []
    dst: list[int] = []
    port: list[int] = []
    inputs: list[tuple[tuple[int, int], ...]] = []
    for v, node in enumerate(nodes):
        data: list[tuple[int, int]] = []
        waits: list[tuple[int, int]] = []
        for text in node.inputs:
            end = parsed.get(text)
            if end is None:
                end = parsed[text] = _end(node.name, text, index)
            (waits if end[1] == CONTROL else data).append(end)
        inputs.append(tuple(data))
        sources = {u for u, _ in data}
        ends = list(dict.fromkeys(data))
        ends += [end for end in dict.fromkeys(waits) if end[0] not in sources]
        for u, p in ends:
            src.append(u)
            dst.append(v)
            port.append(p)
    return Wiring(
        nodes=tuple(nodes),
        index=index,
        src=np.asarray(src, np.int32),
        dst=np.asarray(dst, np.int32),
        port=np.asarray(port, np.int32),
        inputs=tuple(inputs),
    )


def _end(consumer: str, text: str, index: Mapping[str, int]) -> tuple[int, int]:
    """(producer's number, port) of an input; InputError for one that cannot be."""
    name, port = split_input(text)
    given = f"node '{shortened(consumer)}' has an input '{shortened(text)}'"
    if name not in index:
        raise InputError(f"{given}, but the graph has no node '{shortened(name)}': the file is incomplete")
    if port >= MOST_OUTPUTS:
        raise InputError(f"{given}, but no op has so many outputs: the file is damaged")
    return index[name], port


def shortened(name: str, limit: int = 80) -> str:
    """The name for a message: a very long one keeps its two ends."""
    return name if len(name) <= limit else f"{name[: limit // 2]}...{name[-limit // 2 + 3 :]}"
