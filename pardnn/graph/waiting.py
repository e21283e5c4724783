"""Which ops may be joined by a control edge: those of the graph itself that run exactly once whenever a step runs.

Inside a loop an edge would have to stay in its frame; from an op in a branch not taken, which is dead, an edge makes
what waits for it dead too; and the ops of functions' bodies stand in no graph of their own name.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pardnn.graph.library import CALLERS
from pardnn.graph.loops import ENTER, EXIT, MERGE, NEXT, OUTSIDE, acyclic, find_frames, forward_edges
from pardnn.graph.raw import RawNode
from pardnn.graph.wiring import wire
from scheduler.dag import CycleError, Dag

_SWITCH = frozenset({"Switch", "RefSwitch"})
_NEVER = ENTER | EXIT | MERGE | NEXT | _SWITCH | CALLERS | frozenset({
    "LoopCond", "_SwitchN", "Const", "Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "VarHandleOp",
    "Variable", "VariableV2", "TemporaryVariable", "DestroyTemporaryVariable", "_Arg", "_DeviceArg", "_Retval",
    "_DeviceRetval",
})  # fmt: skip
"""Ops that control flow is made of, that call others, or that are fed, held or folded."""


class Waiting:
    """The ops of a file that may be joined, by name, and whether edges between them close a cycle."""

    def __init__(self, nodes: Sequence[RawNode]) -> None:
        self._wiring = wire(nodes)
        self._forward = forward_edges(self._wiring)
        self._dag = acyclic(self._wiring, self._forward)
        frames = find_frames(self._wiring, self._dag)
        inside, enters = [0] * self._wiring.n, [0] * len(frames.parent)
        top = frames.outermost()
        ptr, before = self._dag.in_ptr.tolist(), self._dag.src[self._dag.in_edge].tolist()
        for v in self._dag.order.tolist():
            op = nodes[v].op
            deep = max((inside[u] for u in before[ptr[v] : ptr[v + 1]]), default=0)
            if (frame := int(frames.frame[v])) != OUTSIDE:
                around = top[frame]
                if op in ENTER:
                    enters[around] = max(enters[around], deep)
                inside[v] = enters[around]
            elif op in MERGE:
                inside[v] = max(0, deep - 1)
            else:
                inside[v] = deep + (op in _SWITCH)
        self.names = frozenset(
            node.name
            for v, node in enumerate(nodes)
            if node.op not in _NEVER and not inside[v] and frames.frame[v] == OUTSIDE
        )

    def harmless(self, edges: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Those of the edges that join such ops, stand not there yet, and close no cycle with what was taken before."""
        index, taken = self._wiring.index, []
        there = set(zip(self._wiring.src.tolist(), self._wiring.dst.tolist(), strict=True))
        for first, then in edges:
            if {first, then} <= self.names and (index[first], index[then]) not in there and first != then:
                taken.append((first, then))
        kept = without_cycles(self._dag, [(index[a], index[b]) for a, b in taken])
        names = [node.name for node in self._wiring.nodes]
        return [(names[a], names[b]) for a, b in kept]


def without_cycles(dag: Dag, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those of the pairs that as edges of the graph close no cycle; of a cycle the last one goes."""
    taken = list(pairs)
    while taken:
        added = np.array(taken, np.int32)
        more = Dag.from_edges(dag.n, np.r_[dag.src, added[:, 0]], np.r_[dag.dst, added[:, 1]])
        try:
            more.order  # noqa: B018 - raises CycleError
        except CycleError as error:
            around = set(zip(error.cycle, [*error.cycle[1:], error.cycle[0]], strict=True))
            del taken[next(i for i in range(len(taken) - 1, -1, -1) if taken[i] in around)]
        else:
            break
    return taken
