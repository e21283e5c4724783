"""Control edges between a plan and its graph: those that make a step faster, and a stored plan's put back."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pardnn.config import Options
from pardnn.errors import DoesNotFit
from pardnn.graph.waiting import Waiting, without_cycles
from pardnn.methods import method
from pardnn.order.edges import Edges
from pardnn.order.find import Ordered, order
from pardnn.placers.plan import PlanFile
from pardnn.plan import Unordered
from pardnn.problem import Placement, Prover
from pardnn.report.words import count
from pardnn.subject import Subject

_GONE, _APART, _NEVER = (
    "name an op that is not in the graph",
    "join ops on two devices",
    "join ops that may not wait for each other, or would close a cycle",
)


def unordered(subject: Subject, placement: Placement) -> Unordered:
    """What a step costs without the control edges."""
    schedule = subject.own.simulate(placement)
    return Unordered(schedule.makespan_ns, tuple(subject.own.peaks(schedule)[: subject.own.gpus].tolist()))


def ordered(subject: Subject, options: Options, placement: Placement) -> Ordered:
    """The control edges that make a placement's step faster, or the placement for which they do more with its own."""
    places = [placement]
    if options.order == "fifo" and not isinstance(choose := method(options.method, options.effort), Prover):
        try:  # what is best in a good order need not be so in TensorFlow's
            in_order = replace(subject.own, order="blevel")
            places.append(choose(in_order, np.random.default_rng(options.seed)))
        except DoesNotFit:
            pass
    waiting = _waiting(subject)
    found = order(subject.own, places, _may_wait(subject, waiting))
    return Ordered(found.placement, _harmless(subject, waiting, found.edges))


@dataclass(frozen=True)
class Restored:
    """A stored plan's control edges on a graph, and why others are left out: how many for each reason."""

    edges: Edges
    left_out: tuple[tuple[str, int], ...] = ()

    @property
    def lost(self) -> int:
        """How many are left out."""
        return sum(number for _, number in self.left_out)

    def notes(self, listed: int) -> tuple[str, ...]:
        """A line that says so, of so many in the plan; none where all are there."""
        if not self.lost:
            return ()
        why = "; ".join(f"{number:,} {reason}" for reason, number in self.left_out)
        return (f"{self.lost:,} of {count(listed, 'control edge')} of the plan are left out: {why}",)


def restored(subject: Subject, stored: PlanFile, placement: Placement) -> Restored:
    """A stored plan's control edges: those between ops that are there, may be joined and share a device.

    One that stands in the graph itself, as in a placed one, is neither added nor left out.
    """
    if not stored.control_edges:
        return Restored(())
    waiting, number = _waiting(subject), {name: v for v, name in enumerate(subject.names)}
    may, dag = _may_wait(subject, waiting), subject.own.workload.dag
    there = set(zip(dag.src.tolist(), dag.dst.tolist(), strict=True))
    why: Counter[str] = Counter()
    known: list[tuple[int, int]] = []
    for first, then in stored.control_edges:
        edge = number.get(first, -1), number.get(then, -1)
        if min(edge) < 0:
            why[_GONE] += 1
        elif edge in there:
            continue
        elif placement[edge[0]] != placement[edge[1]]:
            why[_APART] += 1
        else:
            known.append(edge)
    edges = _harmless(subject, waiting, tuple(edge for edge in known if may[edge[0]] and may[edge[1]]))
    why[_NEVER] = len(known) - len(edges)
    return Restored(edges, tuple((reason, why[reason]) for reason in (_GONE, _APART, _NEVER) if why[reason]))


def _waiting(subject: Subject) -> Waiting | None:
    """What may wait for what in the subject's file; None of a cost graph."""
    return None if subject.file is None else Waiting(subject.file[0].nodes)


def _may_wait(subject: Subject, waiting: Waiting | None) -> NDArray[np.bool_]:
    """[n] the ops that may be joined by control edges; all of a cost graph."""
    if waiting is None:
        return np.ones(len(subject.names), np.bool_)
    assert subject.graph is not None
    assert subject.file is not None
    stands = {node.name: node.op for node in subject.file[0].nodes}
    return np.array(
        [node.name in waiting.names and stands[node.name] == node.op for node in subject.graph.nodes], np.bool_
    )


def _harmless(subject: Subject, waiting: Waiting | None, edges: Edges) -> Edges:
    """Those of the edges that close no cycle, not even over ops that were pruned, and that the graph has not."""
    names = subject.names
    if waiting is None:
        dag = subject.own.workload.dag
        there = set(zip(dag.src.tolist(), dag.dst.tolist(), strict=True))
        return tuple(without_cycles(dag, [edge for edge in edges if edge not in there]))
    number = {name: v for v, name in enumerate(names)}
    pairs = waiting.harmless([(names[a], names[b]) for a, b in edges])
    return tuple((number[a], number[b]) for a, b in pairs)
