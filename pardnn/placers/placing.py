"""A traced step put where its plan says, whoever traced it: a model's, a function's, a graph made for a session.

    traced graph ──> Step ──> decide ──> devices on its ops, variables to theirs ──> what ran, held against it

Keras models, functions and ConcreteFunctions go this way; a graph for a session has no variables to move.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pardnn.errors import InputError
from pardnn.machines.build import HOST
from pardnn.placers.shortcuts import take_shortcuts
from pardnn.placers.trace import (
    MAIN,
    Devices,
    Kind,
    Step,
    definition,
    ends,
    follow_inputs,
    place_dropped,
    set_devices,
    set_order,
    without_device,
)
from pardnn.placers.unfed import unfed
from pardnn.placers.variables import Seats, captured, initialised
from pardnn.placers.verify import ReadBack, Verified, compare, together

Decide = Callable[[Step], Devices | None]
"""From a traced step to where its ops go, in the plan's names of devices; None = wherever TensorFlow puts them."""


@dataclass(frozen=True)
class _Held:
    """A graph that was placed, and what was read back when it ran."""

    read: ReadBack
    placed: Mapping[str, str]
    kinds: Mapping[str, str]

    @cached_property
    def verified(self) -> Verified:
        return compare(self.read, self.placed, self.kinds)


class Placing:
    """What was placed, and what that took."""

    def __init__(self, decide: Decide, real: Mapping[str, str]) -> None:
        self.bare: list[str] = []
        """Ops without a device."""
        self.moved_bytes = 0
        self.moved_variables = 0
        self._decide = decide
        self._real = real
        self._placed: Mapping[str, str] = {}  # arguments left out
        self._kinds: Mapping[str, str] = {}
        self._held: _Held | None = None
        self._earlier: list[Verified] = []
        self._trained = False
        self._seats = Seats(real)

    def trace(self, graph: Any, results: Any, batch: int | None, kind: Kind = MAIN, *, iterated: bool = False) -> bool:
        """Place a graph whose tracing ends here with these results, with its variables. Returns whether it is placed.

        `iterated`: an iterator feeds it, and its end may show in the midst of a step. It cannot be while a variable
        has no value: then TensorFlow traces once more when it has. The training step decides where variables are; what
        an evaluation before it has put somewhere is free for it.
        """
        found = captured(graph)
        if not initialised(item.variable for item in found):
            return False
        variables = {item.argument: item.variable for item in found}
        take_shortcuts(graph, results)
        message = definition(graph)
        free = kind == MAIN and not self._trained
        seats = ((name, self._seats.of(variable, others=free)) for name, variable in variables.items())
        settled = {name: seat for name, seat in seats if seat is not None}
        settled |= dict.fromkeys(unfed(graph, variables) if iterated else (), HOST)
        devices = self._put(graph, Step(message, ends(graph, results), batch, settled, kind))
        if devices is None:
            return False
        self._trained |= kind == MAIN
        moved, size = self._seats.take((variable, devices.ops[name]) for name, variable in variables.items())
        self.moved_variables += moved
        self.moved_bytes += size
        place_dropped(graph)
        self.bare += without_device(graph)
        follow_inputs(graph)
        return True

    def made(self, graph: Any, targets: Sequence[str]) -> None:
        """Place a graph made for sessions: what its targets need, everything where there are none."""
        planned = self._put(graph, Step(graph.as_graph_def(add_shapes=True), tuple(targets), None))
        assert planned is not None
        self.bare = [name for name in without_device(graph) if name in planned.ops]

    def hold(self, read: ReadBack) -> None:
        """Keep what was read back while the graph placed last ran."""
        if self._held is not None and self._held.placed is not self._placed:
            self._earlier.append(self._held.verified)  # small, where what was read is as large as the graph
        self._held = _Held(read, self._placed, self._kinds)

    def verify(self, first: str) -> Verified:
        """The planned devices of all that was held, against the real ones; InputError says what to call first."""
        if self._held is None:
            raise InputError(f"no step has run yet: call {first} first")
        return together([*self._earlier, self._held.verified])

    def leave(self) -> None:
        """Bring the variables back to where they were, with the values they have."""
        self._seats.leave()

    def _put(self, graph: Any, step: Step) -> Devices | None:
        """Plan a step and put the devices on its graph; TensorFlow's come back."""
        planned = self._decide(step)
        if planned is None:
            return None
        devices = planned.renamed(self._real)
        set_devices(graph, devices)
        set_order(graph, devices.control_edges)
        self._kinds = {op.name: op.type for op in graph.get_operations()}
        arguments = {name for name, kind in self._kinds.items() if kind == "Placeholder"}
        self._placed = {name: device for name, device in devices.ops.items() if name not in arguments}
        return devices
