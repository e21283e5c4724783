"""A traced step put where its plan says, whoever traced it: a model's, a function's, a graph made for a session.

    traced graph ──> Step ──> decide ──> devices on its ops, variables to theirs ──> what ran, held against it

Keras models, functions and ConcreteFunctions go this way; a graph for a session has no variables to move.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pardnn.errors import InputError
from pardnn.placers.trace import Devices, Step, definition, follow_inputs, set_devices, sinks, without_device
from pardnn.placers.variables import Seats, captured, initialised
from pardnn.placers.verify import ReadBack, Verified, compare

Decide = Callable[[Step], Devices]
"""From a traced step to where its ops go, in the plan's names of devices."""


class Placing:
    """What was placed last, and what that took."""

    def __init__(self, decide: Decide, real: Mapping[str, str]) -> None:
        self.bare: list[str] = []
        """Ops without a device."""
        self.moved_bytes = 0
        self.moved_variables = 0
        self._decide = decide
        self._real = real
        self._placed: Mapping[str, str] = {}  # arguments left out
        self._kinds: Mapping[str, str] = {}
        self._held: tuple[ReadBack, Mapping[str, str], Mapping[str, str]] | None = None
        self._seats = Seats(real)

    def trace(self, graph: Any, batch: int | None) -> bool:
        """Place a graph whose tracing ends here, with its variables. Returns whether it could be.

        It cannot while a variable has no value: then TensorFlow traces once more when it has.
        """
        found = captured(graph)
        if not initialised(item.variable for item in found):
            return False
        variables = {item.argument: item.variable for item in found}
        message = definition(graph)
        settled = {name: seat for name, variable in variables.items() if (seat := self._seats.of(variable))}
        devices = self._put(graph, Step(message, sinks(message), batch, settled))
        moved, size = self._seats.take((variable, devices.ops[name]) for name, variable in variables.items())
        self.moved_variables += moved
        self.moved_bytes += size
        self.bare = without_device(graph)
        follow_inputs(graph)
        return True

    def made(self, graph: Any, targets: Sequence[str]) -> None:
        """Place a graph made for sessions: what its targets need, everything where there are none."""
        planned = self._put(graph, Step(graph.as_graph_def(add_shapes=True), tuple(targets), None))
        self.bare = [name for name in without_device(graph) if name in planned.ops]

    def hold(self, read: ReadBack) -> None:
        """Keep what was read back while the graph placed last ran."""
        self._held = read, self._placed, self._kinds

    def verify(self, first: str) -> Verified:
        """The planned devices of what was held, against the real ones; InputError says what to call first."""
        if self._held is None:
            raise InputError(f"no step has run yet: call {first} first")
        return compare(*self._held)

    def leave(self) -> None:
        """Bring the variables back to where they were, with the values they have."""
        self._seats.leave()

    def _put(self, graph: Any, step: Step) -> Devices:
        """Plan a step and put the devices on its graph; TensorFlow's come back."""
        devices = self._decide(step).renamed(self._real)
        set_devices(graph, devices)
        self._kinds = {op.name: op.type for op in graph.get_operations()}
        arguments = {name for name, kind in self._kinds.items() if kind == "Placeholder"}
        self._placed = {name: device for name, device in devices.ops.items() if name not in arguments}
        return devices
