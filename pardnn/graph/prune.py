"""What one training step runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.errors import InputError
from pardnn.graph.colocate import classes
from pardnn.graph.kernels import RESOURCE, facts
from pardnn.graph.raw import RawNode
from pardnn.graph.reasons import reasons
from pardnn.graph.wiring import Wiring, shortened, split_input
from scheduler.dag import Dag

# The optimisers' fused updates. Where a graph has none, any change of a variable counts as an update.
OPTIMISER = re.compile(r"(Resource)?(Sparse)?Apply[A-Z]\w*|_Fused(Resource)?\w*Apply\w*")
UPDATE = re.compile(r"Assign(Add|Sub)?(VariableOp)?|(Resource)?Scatter(Nd)?(Add|Sub|Update|Min|Max|Mul|Div)")
_INITIAL = frozenset({"Assign", "AssignVariableOp"})
_STATE = re.compile(
    r"Variable(V2)?|VarHandleOp|ReadVariableOp|Placeholder\w*|_Arg|Iterator\w*|\w*Queue\w*|(Is|VarIs)\w*Initialized\w*"
)
_RESTORE = re.compile(r"Restore(V2|Slice)?")
_CHAINED = re.compile(r"NoOp|Const|Identity(N)?|Assign\w*|(Resource)?Scatter\w+")


@dataclass(frozen=True)
class Pruned:
    """[n] what is kept; the reason for each op that is not, by name; and one line on how the step was recognised."""

    keep: NDArray[np.bool_]
    reasons: dict[str, str]
    note: str | None


def prune(
    wiring: Wiring,
    targets: Sequence[str] = (),
    train_ops: Sequence[str] = (),
    caller: NDArray[np.int32] | None = None,
) -> Pruned:
    """The ops that the training step needs: everything its targets depend on, by data or control. O(n + m).

    Targets are, in this order: those given; the graph's train_op collection; a function's results and stateful ops
    (`_Retval`); the optimiser's updates and what is chained to them; where there is no optimiser, any update of a
    variable that depends on more than constants. A graph with none of these is kept whole.

    What a kept op is colocated with by name is kept too, such as the loss, which the gradients name but do not need:
    TensorFlow's importer gives an op the device of the one that its `loc:@` names. So is the call whose body an op is
    from: `caller` is its number, -1 for none.
    """
    ways = Dag.from_edges(wiring.n, wiring.src, wiring.dst)  # cycles of loops included: only its rows are used
    goals, note = _goals(wiring, ways, targets, train_ops)
    if goals is None:
        return Pruned(np.ones(wiring.n, bool), {}, note)
    keep = _with_anchors(wiring, ways, _reached(goals, ways.in_ptr, ways.src[ways.in_edge], wiring.n))
    if caller is not None:
        for v in np.flatnonzero(caller >= 0).tolist():  # a body stands before its call
            keep[caller[v]] |= keep[v]
    return Pruned(keep, reasons(wiring, ways, keep), note)


def _goals(
    wiring: Wiring, ways: Dag, targets: Sequence[str], train_ops: Sequence[str]
) -> tuple[list[int] | None, str | None]:
    """(target nodes, note); None = keep the whole graph."""
    nodes = wiring.nodes
    if targets:
        return [_named(wiring, name) for name in targets], None
    collected = [wiring.index[name] for name, _ in map(split_input, train_ops) if name in wiring.index]
    if collected:
        return collected, None
    if any(node.op == "_Retval" for node in nodes):
        return [v for v, node in enumerate(nodes) if node.op == "_Retval" or _stateful(node)], None
    if any(node.op == "Placeholder" and node.attrs.get("dtype") == RESOURCE for node in nodes):
        return None, None  # the body of a traced function: it was pruned when it was traced
    updates = [v for v, node in enumerate(nodes) if OPTIMISER.fullmatch(node.op)]
    if not updates:
        updates = _learned_updates(wiring, ways)
    if not updates:
        return None, "no training op found: the whole graph is placed; name the step's ops with --targets"
    return _chain(wiring, ways, updates), None


def _with_anchors(wiring: Wiring, ways: Dag, keep: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """`keep` and the ops that its `loc:@` classes name, and what these need, until no more are named."""
    new = np.flatnonzero(keep)
    while len(new):
        names = (name for v in new.tolist() for name in classes(wiring.nodes[v]))
        anchors = {number for name in names if (number := wiring.index.get(name)) is not None and not keep[number]}
        before = keep
        keep = keep | _reached(sorted(anchors), ways.in_ptr, ways.src[ways.in_edge], wiring.n)
        new = np.flatnonzero(keep & ~before)
    return keep


def _named(wiring: Wiring, name: str) -> int:
    number = wiring.index.get(split_input(name)[0])
    if number is None:
        raise InputError(
            f"target '{shortened(name)}' is no op of the graph: --targets takes op names as they stand in the file"
        )
    return number


def _stateful(node: RawNode) -> bool:
    known = facts(node.op)
    return known is None or known.stateful


def _learned_updates(wiring: Wiring, ways: Dag) -> list[int]:
    """Updates of variables, without those whose new value comes from constants or a checkpoint alone."""
    found = [v for v, node in enumerate(wiring.nodes) if UPDATE.fullmatch(node.op)]
    if not found:
        return []
    sources = [v for v, node in enumerate(wiring.nodes) if _STATE.fullmatch(node.op)]
    loaded = np.array([bool(_RESTORE.fullmatch(node.op)) for node in wiring.nodes])
    learned = Dag.from_edges(wiring.n, *(ends[~loaded[ways.dst]] for ends in (ways.src, ways.dst)))
    depends = _reached(sources, learned.out_ptr, learned.dst[learned.out_edge], wiring.n)
    return [v for v in found if wiring.nodes[v].op not in _INITIAL or any(depends[u] for u, _ in wiring.inputs[v][1:])]


def _chain(wiring: Wiring, ways: Dag, updates: Sequence[int]) -> list[int]:
    """The updates and what is run behind them: groups, the step counter, moving averages; no summaries or savers."""
    goals, todo = set(updates), list(updates)
    heads = ways.dst[ways.out_edge].tolist()
    while todo:
        v = todo.pop()
        for u in heads[ways.out_ptr[v] : ways.out_ptr[v + 1]]:
            if u not in goals and _CHAINED.fullmatch(wiring.nodes[u].op):
                goals.add(u)
                todo.append(u)
    return sorted(goals)


def _reached(start: Iterable[int], ptr: NDArray[np.int64], ends: NDArray[np.int32], n: int) -> NDArray[np.bool_]:
    """[n] the nodes that can be reached from `start` along the rows."""
    todo = list(start)
    seen = np.zeros(n, bool)
    seen[todo] = True
    while todo:
        v = todo.pop()
        for u in ends[ptr[v] : ptr[v + 1]].tolist():
            if not seen[u]:
                seen[u] = True
                todo.append(u)
    return seen
