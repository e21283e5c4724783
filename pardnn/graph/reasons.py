"""Why an op is left out of the training step."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
from numpy.typing import NDArray

from pardnn.graph.wiring import Wiring
from scheduler.dag import Dag

INPUT, SAVER, INITIALISER, SUMMARY = "input pipeline", "saver", "initialiser", "summary"
UNUSED = "not needed by the training step"

_SEEDS = {
    INPUT: re.compile(r"\w*Enqueue\w*|Stage|MapStage|MakeIterator|QueueClose(V2)?"),
    SAVER: re.compile(r"(Save|Restore)(V2|Slices?)?|ShardedFilename|MergeV2Checkpoints"),
    INITIALISER: re.compile(
        r"Assign(VariableOp)?|(IsVariable|VarIs)Initialized(Op)?|InitializeTable\w*|LookupTableImport(V2)?"
    ),
    SUMMARY: re.compile(r"\w*Summary(V2)?|SummaryWriter|CreateSummary\w*"),
}


def reasons(wiring: Wiring, ways: Dag, keep: NDArray[np.bool_]) -> dict[str, str]:
    """Why each op that is not kept is left out: what it feeds, else the nearest saver, summary or initialiser."""
    out = np.flatnonzero(~keep).tolist()
    reason: dict[int, str] = {}
    seeds = [(v, _seed(wiring, v)) for v in out]
    for kind in (INPUT, SAVER, INITIALISER, SUMMARY):
        found = [v for v, seed in seeds if seed == kind and v not in reason]
        reason.update(dict.fromkeys(found, kind))
        for v in found:  # grows while it is walked; what several kinds use belongs to the first
            for u in ways.src[ways.in_edge[ways.in_ptr[v] : ways.in_ptr[v + 1]]].tolist():
                if not keep[u] and u not in reason:
                    reason[u] = kind
                    found.append(u)
    todo = list(reason)
    for v in todo:  # grows while it is walked: breadth first, so the nearest wins
        for u in ways.dst[ways.out_edge[ways.out_ptr[v] : ways.out_ptr[v + 1]]].tolist():
            if not keep[u] and u not in reason:
                reason[u] = reason[v]
                todo.append(u)
    return {wiring.nodes[v].name: reason.get(v, UNUSED) for v in out}


def _seed(wiring: Wiring, v: int) -> str | None:
    """What the op's own type says of why it is there."""
    kind = _kind(wiring.nodes[v].op)
    if kind == INITIALISER and any(_kind(wiring.nodes[u].op) == SAVER for u, _ in wiring.inputs[v]):
        return SAVER  # assigns what was restored
    return kind


@cache
def _kind(op: str) -> str | None:
    return next((kind for kind, pattern in _SEEDS.items() if pattern.fullmatch(op)), None)
