"""A ConcreteFunction, already traced, placed where it is: its graph gets devices and is made into a function anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pardnn.errors import InputError
from pardnn.placers.batches import batch_of_data
from pardnn.placers.inner import concrete_function
from pardnn.placers.needs import JIT_OFF
from pardnn.placers.placing import Placing
from pardnn.placers.undo import undo_of
from pardnn.placers.verify import Verified, reading_back

_MADE = ("_inference_function", "_delayed_rewrite_functions", "_first_order_tape_functions",
         "_higher_order_tape_functions", "_attrs")  # fmt: skip
"""What a ConcreteFunction makes of its graph; all else about it stays."""
_HOOK = "_call_flat"
_XLA = "_XlaMustCompile"


def is_concrete(what: Any) -> bool:
    """Whether it is a function traced for one signature."""
    return isinstance(what, concrete_function())


def require_concrete(function: Any) -> None:
    """Raise InputError for what cannot be placed, before anything is done to it."""
    if _HOOK in vars(function):
        raise InputError("the function is placed already: call remove() on its plan first")


class ConcreteHook:
    """The placement of one ConcreteFunction: from `install` on, until `remove`."""

    def __init__(self, function: Any, placing: Placing, say: Callable[[str], None]) -> None:
        self._function = function
        self._placing = placing
        self._say = say
        self._own: dict[str, Any] = {}
        self._undo: Callable[[], None] = lambda: None

    def install(self) -> None:
        """Plan, and put the devices on. Raises DoesNotFit, and then the function is as it was."""
        import tensorflow as tf

        function = self._function
        graph = function.graph
        self._own = {name: getattr(function, name) for name in _MADE}
        self._undo = undo_of(graph)
        with graph.as_default():
            batch = batch_of_data(tf.nest.flatten(function.structured_input_signature))
            placed = self._placing.trace(graph, graph.outputs, batch)
        if not placed:
            raise InputError("a variable of the function has no value yet: call the function once, then place it")
        attributes = {name: value for name, value in function._attrs.items() if name != _XLA}
        if len(attributes) < len(function._attrs):
            self._say(JIT_OFF)
        twin = concrete_function().from_func_graph(graph, function.function_type, attributes)
        vars(function).update({name: getattr(twin, name) for name in _MADE})
        self._hold_next()

    def remove(self) -> None:
        """Make the function what it was, its variables where they were, with the values they have."""
        if not self._own:
            return
        self._undo()
        vars(self._function).pop(_HOOK, None)
        vars(self._function).update(self._own)
        self._own = {}
        self._placing.leave()

    def verify(self, *_: Any) -> Verified:
        """The planned devices of the first call held against those read back from it."""
        return self._placing.verify("the function")

    def _hold_next(self) -> None:
        """Have the next call read back."""
        call = self._function._call_flat

        def called(*given: Any, **named: Any) -> Any:
            with reading_back() as read:
                result = call(*given, **named)
            self._placing.hold(read)
            vars(self._function)[_HOOK] = call  # its being there says that it is placed
            return result

        vars(self._function)[_HOOK] = called
