"""What the readers of one encoding hand to the door: a graph without the file it came from."""

from __future__ import annotations

from dataclasses import dataclass

from pardnn.graph.raw import RawFunction, RawNode


@dataclass(frozen=True, slots=True)
class Contents:
    """The nodes, functions and train_op collection of a file whose outermost message is `kind`."""

    kind: str
    nodes: tuple[RawNode, ...] = ()
    functions: tuple[RawFunction, ...] = ()
    train_ops: tuple[str, ...] = ()
