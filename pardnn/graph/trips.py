"""How often one step runs each op: once, or as often as its loops go round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.graph.loops import ENTER, EXIT, MERGE, NEXT, OUTSIDE, Frames
from pardnn.graph.shapes import Inferred
from pardnn.graph.wiring import Wiring

ASSUMED = 10
"""Trips of a loop whose bound is not to be seen."""
MOST = 1 << 20
"""No step goes round more often, in all its nested loops together; what says so is no bound but a sentinel."""
_UP = frozenset({"Less", "LessEqual"})
_DOWN = frozenset({"Greater", "GreaterEqual"})
_THROUGH = frozenset({"Identity", "Enter", "Switch", "Cast", "LoopCond"})


def count_trips(
    wiring: Wiring, frames: Frames, inferred: Inferred, keep: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], str | None]:
    """([n] runs per step, note on the loops among the ops kept of which the bound had to be assumed).

    A bound is seen where the loop's condition compares a counter with a number that constants and shapes tell, or where
    the counter starts from that of another loop, as in a gradient's loop, which unwinds the forward one.
    """
    trips = np.ones(wiring.n, np.int64)
    if not frames.parent:
        return trips, None
    bounds = _Bounds(wiring, frames, inferred).solve()
    total: list[int] = []
    for number, around in enumerate(frames.parent):
        mine = bounds.get(number, ASSUMED)
        total.append(min(max(mine, 1) * (1 if around == OUTSIDE else total[around]), MOST))
    inside = frames.frame != OUTSIDE
    trips[inside] = np.asarray(total, np.int64)[frames.frame[inside]]
    loops = np.unique(frames.frame[inside & keep]).tolist()
    assumed = sum(number not in bounds for number in loops)
    if not assumed:
        return trips, None
    return trips, f"{assumed} of {len(loops)} loops have no constant bound and are taken to run {ASSUMED} times"


@dataclass(frozen=True)
class _Bounds:
    """Reads the conditions of loops."""

    wiring: Wiring
    frames: Frames
    inferred: Inferred

    def solve(self) -> dict[int, int]:
        """Trips by frame, for the frames whose bound is to be seen."""
        conditions = [(int(self.frames.frame[v]), v) for v, n in enumerate(self.wiring.nodes) if n.op == "LoopCond"]
        found: dict[int, int] = {}
        for _ in range(3):  # forward loops, their gradients, the gradients of these
            before = len(found)
            for frame, v in conditions:
                if frame not in found:
                    bounds = [b for c in self._comparisons(v) if (b := self._bound(c, found)) is not None]
                    if bounds:
                        found[frame] = min(bounds)
            if len(found) == before:
                break
        return found

    def _comparisons(self, v: int) -> list[int]:
        """The comparisons of which the condition is the conjunction."""
        todo, seen, result = [v], {v}, []
        while todo:
            v = todo.pop()
            op = self.wiring.nodes[v].op
            if op in _UP or op in _DOWN:
                result.append(v)
            elif op in _THROUGH or op == "LogicalAnd":
                new = [u for u, _ in self.wiring.inputs[v] if u not in seen]
                seen.update(new)
                todo += new
        return result

    def _bound(self, v: int, found: dict[int, int]) -> int | None:
        """Trips until comparison v of a counter fails."""
        if len(self.wiring.inputs[v]) != 2:
            return None
        counter, limit = self.wiring.inputs[v]
        op = self.wiring.nodes[v].op
        up = op in _UP
        if self.wiring.nodes[counter[0]].op not in MERGE:  # "limit > counter"
            counter, limit, up = limit, counter, not up
        if self.wiring.nodes[counter[0]].op not in MERGE:
            return None
        start, step = self._start(counter[0], found), self._step(counter[0], up)
        end = self._number(limit)
        if start is None or end is None or step <= 0:
            return None
        way = (end - start if up else start - end) + op.endswith("Equal")
        return max(-(-way // step), 0)

    def _start(self, merge: int, found: dict[int, int]) -> int | None:
        """The counter before the first turn: a known number, or the last count of another loop."""
        for u, _ in self.wiring.inputs[merge]:
            if self.wiring.nodes[u].op not in ENTER or not self.wiring.inputs[u]:
                continue
            source = self.wiring.inputs[u][0]
            if self.wiring.nodes[source[0]].op in EXIT:
                return found.get(int(self.frames.frame[source[0]]))
            return self._number(source)
        return None

    def _step(self, merge: int, up: bool) -> int:
        """By how much a turn moves the counter towards its limit; 0 if that is not to be seen."""
        for u, _ in self.wiring.inputs[merge]:
            if self.wiring.nodes[u].op not in NEXT or not self.wiring.inputs[u]:
                continue
            v = self.wiring.inputs[u][0][0]
            op = self.wiring.nodes[v].op
            if op in ("Add", "AddV2", "Sub"):
                known = [x for end in self.wiring.inputs[v] if (x := self._number(end)) is not None]
                if len(known) == 1:
                    return known[0] if up == (op != "Sub") else -known[0]
        return 0

    def _number(self, end: tuple[int, int]) -> int | None:
        value = self.inferred.values.get(end)
        return value[0] if value is not None and len(value) == 1 else None
