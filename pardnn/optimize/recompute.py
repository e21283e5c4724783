"""Recomputation: what the first half of a step keeps for the second is dropped and computed again when it is needed.

    x -> [block] -> y            x ------------------------> [block, again] -> readers of what is inside the block
                                                trigger ---^

What leads from a block to another stays (the checkpoints of [1]), and so do ops that may not run twice. The ops run
again wait for the op that comes just before their first reader, else they would run at once and nothing were saved.
Those that hold something for the whole step, a layer with its weights, run again where that is.

[1] Chen, Xu, Zhang, Guestrin: Training deep nets with sublinear memory cost. arXiv 1604.06174, 2016.
Differs from [1]: which blocks is chosen by CP-SAT (`choose`), not by a rule on their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.optimize.blocks import Block
from pardnn.optimize.choose import Figures, choose
from pardnn.optimize.draft import Changed, Draft
from pardnn.optimize.halves import Halves

AGAIN = "again"


@dataclass(frozen=True)
class Rerun:
    """A block as it is run again: the outputs dropped, the ops that make them anew, and how it counts."""

    name: str
    dropped: tuple[int, ...]
    ops: tuple[int, ...]
    figures: Figures


def reruns(halves: Halves, blocks: Sequence[Block], twice: NDArray[np.bool_]) -> list[Rerun]:
    """The blocks in the order of the first half; `twice` [n] are the ops that may run twice. O(n + m)."""
    found = [_rerun(halves, block, twice) for block in sorted(blocks, key=lambda b: int(halves.place[b.ops[-1]]))]
    return [rerun for rerun in found if rerun.figures.kept or rerun.dropped]


def _rerun(halves: Halves, block: Block, twice: NDArray[np.bool_]) -> Rerun:
    problem, work = halves.problem, halves.problem.workload
    dag, inside, kept = work.dag, set(block.ops), set(np.intersect1d(halves.kept, block.ops).tolist())

    def leaves(v: int) -> bool:
        """Whether the first half reads it outside the block."""
        readers = dag.dst[dag.out_edge[dag.out_ptr[v] : dag.out_ptr[v + 1]]].tolist()
        return any(r not in inside and not halves.late(r) for r in readers)

    dropped = [v for v in block.ops if v in kept and twice[v] and not leaves(v)]
    here, ops, extra, todo = set(dropped), set(dropped), set[int](), list(dropped)
    across = set(halves.kept.tolist())
    while todo:
        w = todo.pop()
        for e in dag.in_edge[dag.in_ptr[w] : dag.in_ptr[w + 1]].tolist():
            u = int(dag.src[e])
            if not work.edge_bytes[e] or u in ops:
                continue
            if u in inside and twice[u] and (u in here or u not in across):
                ops.add(u)
                todo.append(u)
            elif u not in across:
                extra.add(u)
    again = sorted(ops, key=lambda v: int(halves.place[v]))
    size = work.output_bytes
    during = int(size[again].sum()) + int(work.temp_bytes[again].max(initial=0))
    figures = Figures(
        int(size[sorted(kept - here)].sum()), int(size[dropped].sum()), int(size[sorted(extra)].sum()), during,
        int(problem.node_ns[again].sum()),
    )  # fmt: skip
    return Rerun(block.name, tuple(dropped), tuple(again), figures)


def chosen(found: Sequence[Rerun], share: float) -> list[Rerun]:
    """Those to run again in such a share of the memory, see `choose`."""
    picked = choose([rerun.figures for rerun in found], share)
    return [found[i] for i in picked if found[i].dropped]


def recompute(halves: Halves, picked: Sequence[Rerun]) -> Changed:
    """The problem in which these blocks are run again."""
    draft, dag = Draft(halves.problem), halves.problem.workload.dag
    for rerun in picked:
        held = halves.problem.workload.resident_bytes
        copy = {v: draft.copy(v, AGAIN, mate=v if held[v] else None) for v in rerun.ops}
        readers = {v: halves.late_edges(v) for v in rerun.dropped}
        first = halves.first(int(dag.dst[e]) for edges in readers.values() for e in edges)
        trigger = halves.before(first)
        for v, new in copy.items():
            _read(draft, halves, copy, v, new, trigger)
        for v, edges in readers.items():
            draft.turn(edges, copy[v])
    return draft.changed


def _read(draft: Draft, halves: Halves, copy: dict[int, int], v: int, new: int, trigger: int) -> None:
    """Lay the inputs of an op that is run again; those that read no other such op wait for the trigger."""
    dag, sizes = halves.problem.workload.dag, halves.problem.workload.edge_bytes
    waits = True
    for e in dag.in_edge[dag.in_ptr[v] : dag.in_ptr[v + 1]].tolist():
        u, size = int(dag.src[e]), int(sizes[e])
        if size:
            draft.edge(copy.get(u, u), new, size)
            waits = waits and u not in copy
    if waits:
        draft.edge(trigger, new)
