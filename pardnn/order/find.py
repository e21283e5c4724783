"""The control edges that make a step faster: a better order found, and what of it must be said.

    ranks ──> schedules in their order ──> a chain of edges per device ──> those without which a step is slower

TensorFlow's executor runs what became ready first (fifo). An order by the longest way to the end is often better, and
chains of edges along each device force it; but most of it fifo does by itself, so most of the chains is shed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pardnn.order.edges import Edges, with_edges
from pardnn.order.shed import shed
from pardnn.problem import Placement, Problem
from scheduler.levels import bottom_levels
from scheduler.machine import UNLIMITED
from scheduler.priority import ORDERS, Priority
from scheduler.schedule import Schedule
from scheduler.simulate import simulate

_WORK = 30_000_000
"""Divided by the number of nodes: so many simulations."""
_LEAST, _MOST = 120, 3000
_SLACK, _PRICE = 1000, 2500
"""One part in so many of a step: what shedding may lose on the way, and what an edge must save."""
_TIGHT = 0.9
"""From this share of a limit on memory is worth an order of its own."""


class Ordered(NamedTuple):
    """A placement and the edges that go with it."""

    placement: Placement
    edges: Edges


def order(problem: Problem, placements: list[Placement], may: NDArray[np.bool_]) -> Ordered:
    """The fastest of these placements with the control edges that make it so; the first, as it is, where none helps.

    Edges join ops that `may` [n] have some, on one device and with work to do; they run forward in a schedule, so none
    closes a cycle. No step gets slower than the first placement's, and what fits still fits. Where a memory is nearly
    full and no order is faster, one that needs less of it is taken. Simulates some 30 million nodes.
    """
    first = placements[0]
    plain = problem.simulate(first)
    fits = _fits(problem, plain)
    starts = [(_Judge(problem, place, fits), chains) for place in placements for chains in _all(problem, place, may)]
    judge, chains = min(starts, key=lambda start: start[0](start[1]))
    edges, took = _few(judge, chains, plain.makespan_ns, _tries(problem))
    if took < plain.makespan_ns:
        return Ordered(judge.placement, edges)
    return Ordered(first, _leaner(problem, first, may, plain) if _tight(problem, plain) else ())


class _Judge:
    """What a step of a placement costs with edges: its makespan, or more than any where it must fit and does not."""

    def __init__(self, problem: Problem, placement: Placement, fits: bool) -> None:
        self.problem = problem
        self.placement = placement
        self._fits = fits

    def __call__(self, edges: Edges) -> int:
        schedule, more = self.run(edges)
        return UNLIMITED if self._fits and more.limited and not _fits(more, schedule) else schedule.makespan_ns

    def run(self, edges: Edges) -> tuple[Schedule, Problem]:
        """The schedule, and the problem that it is of."""
        more = with_edges(self.problem, edges)
        return more.simulate(self.placement), more


def _few(cost: Callable[[Edges], int], chains: Edges, plain: int, tries: int) -> tuple[Edges, int]:
    """The chains' edges that are worth it, and the cost with them; none where even all of them do not help."""
    if cost(chains) >= plain:
        return (), plain
    return shed(chains, cost, plain // _SLACK, plain // _PRICE, tries)


def _tries(problem: Problem) -> int:
    """How many simulations shedding may take."""
    return min(_MOST, max(_LEAST, _WORK // max(1, problem.workload.dag.n)))


def _all(problem: Problem, placement: Placement, may: NDArray[np.bool_]) -> Iterator[Edges]:
    """The chains of each order worth a try, whole, and of them those that fifo breaks."""
    plain = problem.simulate(placement)
    for rank in (_urgency(problem, placement), ORDERS["blevel"](problem.workload, problem.machine).rank):
        chains = _chains(problem, placement, rank, may)
        yield chains
        yield tuple((a, b) for a, b in chains if plain.start_ns[b] < plain.start_ns[a])


def _urgency(problem: Problem, placement: Placement) -> NDArray[np.int64]:
    """[n] minus the longest way to the end, in which only edges between devices take time."""
    dag, workload = problem.workload.dag, problem.workload
    node_ns = workload.time_ns[np.arange(dag.n), placement]
    edge_ns = np.where(placement[dag.src] != placement[dag.dst], problem.comm_ns, 0)
    return -bottom_levels(dag, node_ns, edge_ns)


def _chains(problem: Problem, placement: Placement, rank: NDArray[np.int64], may: NDArray[np.bool_]) -> Edges:
    """An edge from each op that may have one to the next on its device, as they run by rank."""
    workload = problem.workload
    schedule = simulate(workload, problem.machine, placement, Priority(rank, by_arrival=False), problem.contention)
    works = may & (workload.time_ns[np.arange(workload.dag.n), placement] > 0)
    line = np.lexsort((schedule.start_ns, placement))
    line = line[works[line]]
    same = placement[line[1:]] == placement[line[:-1]]
    pairs = np.stack([line[:-1][same], line[1:][same]], axis=1)
    return tuple((a, b) for a, b in pairs.tolist())


def _fits(problem: Problem, schedule: Schedule) -> bool:
    return bool((problem.peaks(schedule) <= problem.machine.memory_bytes).all())


def _fullest(problem: Problem, schedule: Schedule) -> int:
    """The fullest memory, in millionths of its limit; 0 without limits."""
    limited = problem.machine.memory_bytes < UNLIMITED
    shares = problem.peaks(schedule)[limited] / problem.machine.memory_bytes[limited]
    return int(1e6 * shares.max(initial=0.0))


def _tight(problem: Problem, schedule: Schedule) -> bool:
    return _fullest(problem, schedule) > 1e6 * _TIGHT


def _leaner(problem: Problem, placement: Placement, may: NDArray[np.bool_], plain: Schedule) -> Edges:
    """Edges with which the fullest memory holds less and the step takes no longer; none where there are none."""
    judge, before = _Judge(problem, placement, fits=False), _fullest(problem, plain)

    def held(edges: Edges) -> int:
        schedule, more = judge.run(edges)
        return UNLIMITED if schedule.makespan_ns > plain.makespan_ns else _fullest(more, schedule)

    depth_first = _chains(problem, placement, _depth_first(problem), may)
    edges, after = _few(held, depth_first, before, _tries(problem))
    return edges if after < before else ()


def _depth_first(problem: Problem) -> NDArray[np.int64]:
    """[n] place of each node in a walk that goes on with what it has just made ready: what is made is soon used."""
    dag = problem.workload.dag
    waits = np.diff(dag.in_ptr).tolist()
    ptr, out = dag.out_ptr.tolist(), dag.dst[dag.out_edge].tolist()
    rank = np.zeros(dag.n, np.int64)
    todo = [v for v in range(dag.n - 1, -1, -1) if waits[v] == 0]
    at = 0
    while todo:
        v = todo.pop()
        rank[v] = at
        at += 1
        for child in reversed(out[ptr[v] : ptr[v + 1]]):
            waits[child] -= 1
            if waits[child] == 0:
                todo.append(child)
    return rank
