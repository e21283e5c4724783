"""Contiguous chunks of the topological order, device by device."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.partitioners._memory import by_group, footprint
from pardnn.partitioners._order import group_order
from pardnn.partitioners._speed import speeds
from pardnn.problem import Placement, Problem
from pardnn.registry import partitioner


@partitioner("fill", summary="topological order, cut into one chunk of equal work per GPU")
@dataclass(frozen=True)
class Fill:
    """The groups in topological order, cut into chunks: what many frameworks do with layers.

    Each device gets its share, by speed, of the work that is left, and no more than its memory is estimated to hold.
    If that leaves groups over, the devices are filled to the brim one after the other; what even so is left goes to the
    last.
    O(n log n).
    """

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """Cut by work and memory, else by memory alone."""
        order = group_order(problem)
        free = problem.pin < 0
        work = _prefix(by_group(problem, np.where(free, np.maximum(problem.node_ns, 1), 0))[order])
        held = _prefix(by_group(problem, np.where(free, footprint(problem), 0))[order])
        room = problem.machine.memory_bytes[: problem.gpus].tolist()
        chunk = _cut(work, held, room, speeds(problem))
        if chunk.max(initial=0) == problem.gpus:
            chunk = np.minimum(_cut(work, held, room, None), problem.gpus - 1)
        device = np.empty(problem.groups, np.int32)
        device[order] = chunk
        return problem.settle(device[problem.group])


def _prefix(column: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(column)])


def _cut(
    work: NDArray[np.int64], held: NDArray[np.int64], room: list[int], speed: NDArray[np.float64] | None
) -> NDArray[np.int64]:
    """[g] the chunk of each group in its row, given running sums [g + 1]; len(room) = left over.

    Without speeds the memory alone decides.
    """
    ends = [0]
    for device, capacity in enumerate(room):
        begin = ends[-1]
        end = int(np.searchsorted(held, min(int(held[begin]) + capacity, int(held[-1])), "right")) - 1
        if speed is not None:
            share = math.ceil(int(work[-1] - work[begin]) * speed[device] / speed[device:].sum())
            end = min(end, int(np.searchsorted(work, work[begin] + share)))
        ends.append(max(begin, end))
    return np.searchsorted(ends[1:], np.arange(len(work) - 1), "right")
