"""A lighter graph for the same step: activations computed again, or kept on the host until they are needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pardnn.answers.piece import Piece, fitting, gentlest
from pardnn.config import Options
from pardnn.graph.kernels import facts
from pardnn.graph.prune import OPTIMISER, UPDATE
from pardnn.graph.roles import find_roles
from pardnn.optimize.blocks import MOST, Block, runs, scopes
from pardnn.optimize.draft import Changed
from pardnn.optimize.halves import Halves
from pardnn.optimize.offload import Slot, idle, offload, prefix
from pardnn.optimize.recompute import chosen, recompute, reruns
from pardnn.problem import Placement
from pardnn.remedy import quick_fit
from pardnn.report.words import count
from pardnn.subject import Subject, with_memory
from pardnn.units import format_size
from pardnn.variants import with_changes, with_host
from scheduler.schedule import Schedule

T = TypeVar("T")

_FLOW = frozenset({"Enter", "Exit", "LoopCond", "Merge", "NextIteration", "Switch"})
_RUNS = (MOST, MOST // 2, MOST // 4, MOST // 8)


def recomputation(subject: Subject, options: Options) -> Piece | str:
    """The step with the blocks run again that cost least time and were seen to be enough; or why there is none."""
    halves = _halves(subject, options)
    early = halves.order[: halves.turn]
    twice = may_run_twice(subject)
    weight = np.maximum(subject.problem.workload.output_bytes, 1)
    grains = (runs(early, subject.names, weight, number) for number in _RUNS)
    for blocks in (scopes(early, subject.names), *grains):
        found = _enough(subject, options, halves, blocks, twice)
        if found is not None:
            return found
    return "with whatever can be computed again it was not seen to fit"


def _halves(subject: Subject, options: Options) -> Halves:
    """The step on the GPUs there are, if their memory were unlimited."""
    free = with_memory(subject, replace(options, mem="unlimited")).problem
    found = fitting(free, options, quick_fit(free, options))
    assert found is not None
    return Halves.of(subject.problem, found[0])


def _enough(
    subject: Subject, options: Options, halves: Halves, blocks: Sequence[Block], twice: NDArray[np.bool_]
) -> Piece | None:
    able = reruns(halves, blocks, twice)
    best = _least(lambda share: chosen(able, share), lambda picked: recompute(halves, picked), options)
    if best is None:
        return None
    picked, changed, found = best
    saved, ops = sum(rerun.figures.saved for rerun in picked), sum(len(rerun.ops) for rerun in picked)
    details = {
        "blocks": [rerun.name for rerun in picked],
        "dropped_bytes": saved,
        "ops_again": ops,
        "again_us": sum(rerun.figures.time_ns for rerun in picked) / 1000,
    }
    change = f"{format_size(saved)} of activations computed again in the backward pass"
    note = f"{count(ops, 'op')} run again, of {count(len(picked), 'block')}"
    return Piece("recomputation", change, with_changes(subject, changed), options, *found, note, details)


def _least(
    pick: Callable[[float], list[T]], change: Callable[[list[T]], Changed], options: Options
) -> tuple[list[T], Changed, tuple[Placement, Schedule]] | None:
    """What is picked by the share nearest to 1 whose changed step was seen to fit; that step, and how it fits."""

    def tried(share: float) -> tuple[list[T], Changed, Placement] | None:
        picked = pick(share)
        if not picked:
            return None
        changed = change(picked)
        placement = quick_fit(changed.problem, options)
        return None if placement is None else (picked, changed, placement)

    best = gentlest(tried)
    if best is None:
        return None
    picked, changed, placement = best
    found = fitting(changed.problem, options, placement)
    assert found is not None
    return picked, changed, found


def may_run_twice(subject: Subject) -> NDArray[np.bool_]:
    """[n] the ops that make the same once more: no state, no variable, no randomness, no loop; they read something."""
    problem, work = subject.problem, subject.problem.workload
    reads = np.zeros(work.dag.n, np.bool_)
    reads[work.dag.dst[work.edge_bytes > 0]] = True
    pure = {kind: _pure(kind, of_tensorflow=subject.graph is not None) for kind in {*subject.ops}}
    able = reads & (problem.pin < problem.gpus) & np.array([pure[kind] for kind in subject.ops], np.bool_)
    if subject.graph is not None:  # where what is held is a variable or a constant; in a cost graph it is a layer's
        able &= (work.resident_bytes == 0) & (subject.graph.trips == 1)
        state = np.zeros(work.dag.n, np.bool_)
        state[list(find_roles(subject.graph).variables)] = True
        able[work.dag.dst[state[work.dag.src]]] = False  # later, a variable may have changed
    return np.asarray(able, np.bool_)


def _pure(kind: str, *, of_tensorflow: bool) -> bool:
    """Whether an op type has no state: one unknown to TensorFlow may have, a cost graph's own label says nothing."""
    known = facts(kind)
    if known is None:
        return not of_tensorflow
    changes = known.stateful or known.refs[0] < known.refs[1]
    return not changes and kind not in _FLOW


def offloading(subject: Subject, options: Options) -> Piece | str:
    """The step with the fewest bytes kept on the host that were seen to be enough; or why there is none."""
    subject = with_host(subject, options)
    halves = _halves(subject, options)
    items = idle(halves, _slots(subject))
    best = _least(lambda share: prefix(items, share), lambda picked: offload(halves, picked), options)
    if best is None:
        return "with whatever can wait in the host's memory it was not seen to fit"
    picked, changed, found = best
    slots = sum(item.size for item in picked if item.slot)
    outputs = sum(item.size for item in picked) - slots
    parts = [
        f"{format_size(size)} of {what}"
        for size, what in ((outputs, "activations"), (slots, "optimizer slots"))
        if size
    ]
    details = {
        "activation_bytes": outputs,
        "slot_bytes": slots,
        "moved": [subject.names[item.op] for item in picked],
    }
    note = f"{count(len(changed.origin), 'op')} more, on the host; to there and back over its link"
    return Piece(
        "offload", f"{' and '.join(parts)} kept on the host meanwhile", with_changes(subject, changed), options, *found,
        note, details,
    )  # fmt: skip


def _slots(subject: Subject) -> list[Slot]:
    """The optimizer's slots that nothing but reads and updates touch; none of a cost graph, which does not say."""
    graph, work = subject.graph, subject.problem.workload
    if graph is None:
        return []
    dag, found = work.dag, []
    for v, role in sorted(find_roles(graph).variables.items()):
        size = int(work.resident_bytes[v])
        if role != "slots" or not size or graph.trips[v] > 1 or subject.problem.pin[v] >= 0:
            continue
        out = dag.out_edge[dag.out_ptr[v] : dag.out_ptr[v + 1]]
        readers = sorted({int(dag.dst[e]) for e in out.tolist() if work.edge_bytes[e]})
        writers = [r for r in readers if OPTIMISER.fullmatch(subject.ops[r]) or UPDATE.fullmatch(subject.ops[r])]
        if writers and all(r in writers or subject.ops[r] == "ReadVariableOp" for r in readers):
            found.append(Slot(v, size, tuple(readers), tuple(writers)))
    return found
