"""The op graph: a Dag whose nodes are framework operations, with what is known of each in parallel columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pardnn.graph.raw import DType, RawNode, Shape
from scheduler.dag import Dag


@dataclass(frozen=True, eq=False)
class Inner:
    """A function that an op runs: its body, of which the first nodes are the arguments.

    The first `skipped` of the op's inputs are not among these: which branch it is.
    """

    function: str
    graph: OpGraph
    skipped: int


@dataclass(frozen=True, eq=False)
class OpGraph:
    """The training step as operations and dependencies, n nodes and m edges.

    Columns over nodes are aligned with `dag`'s node numbers, columns over edges with its edge numbers. The dag has no
    cycles: the back edges of loops are left out and each loop is one colocation group.
    """

    dag: Dag
    nodes: tuple[RawNode, ...]
    """[n] the op as it stood in the file: name, type, inputs, attributes."""
    edge_port: NDArray[np.int32]
    """[m] the producer's output port; -1 = control edge."""
    output_shapes: tuple[tuple[Shape, ...], ...]
    output_dtypes: tuple[tuple[DType, ...], ...]
    group: NDArray[np.int32]
    """[n] colocation group, dense from 0; an op on its own is its own group."""
    host: NDArray[np.bool_]
    """[n] the op must run on the CPU."""
    trips: NDArray[np.int64]
    """[n] how often one step runs the op: the trip estimate of its loop, else 1."""
    nodes_read: int
    edges_read: int
    """Nodes of the file, and pairs of nodes of which one consumes or waits for the other; before pruning."""
    loops: int = 0
    """Cycles of the file that hang together (strongly connected components); a while loop has one or several."""
    bodies: Mapping[int, tuple[Inner, ...]] = field(default_factory=dict)
    """What an op runs that is a loop, a branch or a call of a function, by node number."""
    caller: NDArray[np.int32] | None = None
    """[n] the call, or the branch, whose body the op is from, a larger number than the op's; -1 = none."""
    homes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """(function, node) in the file's library where the device of an inlined op stands, by op name."""
    unplaced: Mapping[str, str] = field(default_factory=dict)
    """Pruned ops and why, by name."""
    batched: bool = False
    """Whether the batch size that was given has filled a gap in a shape."""
    notes: tuple[str, ...] = ()
    """What the user should know: one line each."""

    @property
    def names(self) -> tuple[str, ...]:
        """[n] op names."""
        return tuple(node.name for node in self.nodes)

    @property
    def unknown_shape(self) -> int:
        """Number of ops with an output of which a dimension or the rank is unknown."""
        return sum(any(not shape.known for shape in shapes) for shapes in self.output_shapes)
