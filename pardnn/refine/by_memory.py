"""Placements made for memory alone: where to start anew when the heuristic's own start leads nowhere good."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from pardnn.problem import Placement, Problem
from pardnn.refine.ledger import Ledger
from pardnn.refine.needs import Needs
from scheduler.levels import bottom_levels, top_levels


def memory_first(problem: Problem, needs: Needs, start: Placement, corrections: int) -> Iterator[Ledger]:
    """Steps of placements made for memory: the groups in a row cut into a chunk a device; last, largest groups first.

    Rows: in order of execution; the devices of the start one after the other, each in that order; as late as possible;
    folded at the middle, so that a gradient lies beside the op whose output it needs again. Each is cut so that the
    devices are filled one after the other, then so that all are filled to the same degree.
    O(corrections * (simulation + n log n + m)) each.
    """
    dag, node_ns, edge_ns = problem.workload.dag, problem.node_ns, problem.comm_ns
    weight = _weights(problem, needs)
    top, bottom = top_levels(dag, node_ns, edge_ns), bottom_levels(dag, node_ns, edge_ns)
    position = np.empty(dag.n, np.int64)
    position[dag.order] = np.arange(dag.n)
    for key in (position, start.astype(np.int64), -bottom, np.minimum(top, bottom)):
        row = _row(problem, key, position)
        for even in (False, True):
            yield _corrected(problem, row, weight, even, corrections)
    yield _simulated(problem, _largest_first(problem, weight))


def _weights(problem: Problem, needs: Needs) -> NDArray[np.int64]:
    """[g] bytes each free group will occupy: its resident bytes and its share of what passes, by output; 0 if bound.

    What passes is the peak of a step on one device without the resident bytes.
    """
    work = problem.workload
    together = np.where(problem.pin < 0, 0, problem.pin).astype(np.int32)
    peak = int(Ledger.of(problem, problem.simulate(together)).peaks[0])
    passing = peak - int(work.resident_bytes[together == 0].sum())
    output = np.zeros(problem.groups, np.int64)
    np.add.at(output, problem.group, work.output_bytes)
    share = min(1.0, passing / max(1, int(work.output_bytes.sum())))
    weight = needs.resident + np.maximum(np.ceil(output * share), 1).astype(np.int64)
    return np.where(needs.free, weight, 0)


def _row(problem: Problem, key: NDArray[np.int64], position: NDArray[np.int64]) -> NDArray[np.int64]:
    """The groups by the smallest key of their members, ties by position."""
    rank = np.empty(len(key), np.int64)
    rank[np.lexsort((position, key))] = np.arange(len(key))
    first = np.full(problem.groups, len(key))
    np.minimum.at(first, problem.group, rank)
    return np.argsort(first, kind="stable")


def _corrected(
    problem: Problem, row: NDArray[np.int64], weight: NDArray[np.int64], even: bool, corrections: int
) -> Ledger:
    """The row in chunks. A device that turns out to hold too much (copies it receives, say) gets less next time."""
    reach = np.cumsum(weight[row])
    limit = problem.machine.memory_bytes[: problem.gpus]
    card = np.maximum(np.minimum(limit, int(reach[-1])), 1)
    best = None
    for _ in range(1 + corrections):
        found = _simulated(problem, _chunks(row, reach, card, even))
        if best is None or found.overflow < best.overflow:
            best = found
        if not found.overflow or found.overflow > 2 * best.overflow:
            break
        card = np.maximum(card - found.excess[: problem.gpus], (card + 1) // 2)
    assert best is not None
    return best


def _chunks(row: NDArray[np.int64], reach: NDArray[np.int64], card: NDArray[np.int64], even: bool) -> NDArray[np.int32]:
    """[g] the device of each group. reach: running sum of weights along the row.

    The cards are filled one after the other; if even, or if they are too small for all, all to the smallest degree that
    takes in everything.
    """

    def cuts(degree: float) -> list[int]:
        at, result = 0, []
        for size in card.tolist():
            done = int(reach[at - 1]) if at else 0
            at = int(np.searchsorted(reach, done + int(size * degree), side="right"))
            result.append(at)
        return result

    low, high = 0.0, 1.0
    while cuts(high)[-1] < len(row):
        low, high, even = high, 2 * high, True
    for _ in range(20 if even else 0):
        middle = (low + high) / 2
        low, high = (low, middle) if cuts(middle)[-1] == len(row) else (middle, high)
    target = np.empty(len(row), np.int32)
    target[row] = np.minimum(np.searchsorted(cuts(high), np.arange(len(row)), side="right"), len(card) - 1)
    return target


def _largest_first(problem: Problem, weight: NDArray[np.int64]) -> NDArray[np.int32]:
    """[g] the groups, largest first, each to the device with most room left."""
    rooms = [(-int(room), d) for d, room in enumerate(problem.machine.memory_bytes[: problem.gpus])]
    heapq.heapify(rooms)
    target = np.zeros(len(weight), np.int32)
    for g in np.argsort(-weight, kind="stable").tolist():
        room, target[g] = rooms[0]
        heapq.heapreplace(rooms, (room + int(weight[g]), int(target[g])))
    return target


def _simulated(problem: Problem, target: NDArray[np.int32]) -> Ledger:
    placement: Placement = np.where(problem.pin < 0, target[problem.group], problem.pin).astype(np.int32)
    return Ledger.of(problem, problem.simulate(placement))
