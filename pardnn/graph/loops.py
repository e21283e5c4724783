"""While loops of Enter / Merge / Switch / NextIteration / Exit: back edges, frames, and cycles that are no loop."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.errors import InputError
from pardnn.graph.wiring import Wiring, shortened
from scheduler.dag import CycleError, Dag

ENTER = frozenset({"Enter", "RefEnter"})
EXIT = frozenset({"Exit", "RefExit"})
MERGE = frozenset({"Merge", "RefMerge"})
NEXT = frozenset({"NextIteration", "RefNextIteration"})

OUTSIDE = -1
"""The frame of a node that stands in no loop."""


@dataclass(frozen=True, eq=False)
class Frames:
    """Which loop each node runs in.

    `frame[v]` is the innermost frame (OUTSIDE = none), Enter and Exit counted with the loop they lead into and out of;
    `parent[f]` is the frame around f, always a smaller number.
    """

    frame: NDArray[np.int32]
    parent: tuple[int, ...]
    names: tuple[str, ...]

    def outermost(self) -> tuple[int, ...]:
        """For each frame the frame around it that stands in no other."""
        top: list[int] = []
        for number, around in enumerate(self.parent):
            top.append(number if around == OUTSIDE else top[around])
        return tuple(top)


def forward_edges(wiring: Wiring) -> NDArray[np.bool_]:
    """[m] the edges that close no loop: all but NextIteration -> Merge."""
    ends, starts = (np.asarray([node.op in kinds for node in wiring.nodes], bool) for kinds in (NEXT, MERGE))
    if not ends.any():
        return np.ones(len(wiring.src), bool)
    back: NDArray[np.bool_] = ends[wiring.src] & starts[wiring.dst]
    return ~back


def acyclic(wiring: Wiring, forward: NDArray[np.bool_]) -> Dag:
    """The graph of the forward edges; a cycle among them is no loop and raises InputError that lists it."""
    dag = Dag.from_edges(wiring.n, wiring.src[forward], wiring.dst[forward])
    try:
        dag.order  # noqa: B018  # computed once, kept in the dag
    except CycleError as error:
        raise _no_loop(wiring, error.cycle) from None
    return dag


def find_frames(wiring: Wiring, dag: Dag) -> Frames:
    """The loop of every node, found by following Enter and Exit along the topological order. O(n + m).

    A node's frame is the deepest among what it consumes or waits for; Exit's consumers are one frame further out.
    """
    frame = np.full(wiring.n, OUTSIDE, np.int32)
    if not any(node.op in ENTER for node in wiring.nodes):
        return Frames(frame, (), ())
    leaves = [OUTSIDE] * wiring.n  # the frame in which a node's consumers stand
    depth = {OUTSIDE: 0}
    parent: list[int] = []
    names: list[str] = []
    known: dict[tuple[int, str], int] = {}
    in_ptr, in_src = dag.in_ptr.tolist(), dag.src[dag.in_edge].tolist()
    for v in dag.order.tolist():
        here = max((leaves[u] for u in in_src[in_ptr[v] : in_ptr[v + 1]]), key=depth.__getitem__, default=OUTSIDE)
        node = wiring.nodes[v]
        if node.op in ENTER:
            name = node.attrs.get("frame_name", b"")
            key = (here, name.decode(errors="replace") if isinstance(name, bytes) else str(name))
            if key not in known:
                known[key] = len(parent)
                depth[len(parent)] = depth[here] + 1
                parent.append(here)
                names.append(key[1])
            here = known[key]
        frame[v] = here
        leaves[v] = parent[here] if node.op in EXIT and here != OUTSIDE else here
    return Frames(frame, tuple(parent), tuple(names))


def _no_loop(wiring: Wiring, cycle: list[int]) -> InputError:
    names = [shortened(wiring.nodes[v].name, 40) for v in cycle[:8]]
    if len(cycle) > len(names):
        names.append(f"... {len(cycle) - len(names)} more ...")
    walk = " -> ".join([*names, names[0]])
    kind = "node depends on itself" if len(cycle) == 1 else f"cycle of {len(cycle)} nodes"
    return InputError(f"{kind} without a NextIteration, so it is no loop and can never run: {walk}")
