"""Variables where the ops are that use them: TensorFlow runs such ops where the variable is, whatever their device.

A variable is moved with its value; the Python object stays the same, so models, optimizers, checkpoints and metrics do
not notice. What was traced before holds the old handle, and would go on reading the old value without a word: every
such function gets the new one.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple


class Captured(NamedTuple):
    """A variable that a traced function uses, and the name of the argument by which it does."""

    variable: Any
    argument: str


def captured(graph: Any) -> list[Captured]:
    """The variables a traced graph uses: weights, slots, seeds, metrics, whoever owns them."""
    from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable

    arguments = {id(handle): placeholder.op.name for handle, placeholder in graph.captures}
    found: dict[int, Captured] = {}
    for variable in gc.get_objects():  # nothing in the graph leads from a handle to its variable
        if isinstance(variable, BaseResourceVariable):
            argument = arguments.get(id(getattr(variable, "_handle", None)))
            if argument is not None:
                found.setdefault(id(variable), Captured(variable, argument))
    return sorted(found.values(), key=lambda item: item.argument)


def initialised(variables: Iterable[Any]) -> bool:
    """Whether all have a value: those made while a function is traced get theirs after it, and it is traced again."""
    import tensorflow as tf

    with tf.init_scope():
        return all(bool(variable.is_initialized()) for variable in variables)


def move(places: Iterable[tuple[Any, str]]) -> tuple[int, int]:
    """Bring each variable to its device. Returns (how many moved, their bytes)."""
    import tensorflow as tf
    from tensorflow.python.ops.resource_variable_ops import ResourceVariable

    handles: dict[int, Any] = {}
    old: list[Any] = []  # kept until all are replaced: a handle's id is good while it lives
    size = 0
    for variable, device in places:
        if same_device(variable.device, device):
            continue
        with tf.init_scope(), tf.device(device):
            value = variable.read_value()
            # tf.Variable would count as made by the function that is being traced, which would then be traced again
            new = ResourceVariable(value, trainable=variable.trainable, dtype=variable.dtype, shape=variable.shape)
        old.append(variable._handle)
        handles[id(variable._handle)] = new._handle
        variable._handle = new._handle
        size += int(value.shape.num_elements() or 0) * int(variable.dtype.size)
    if handles:
        _redirect(handles)
    return len(old), size


class Seat(NamedTuple):
    """Where a plan put a variable, and TensorFlow's device on which it was before any plan."""

    variable: weakref.ref[Any]
    planned: str
    home: str


class Seats:
    """The seats of a model's variables; they keep no variable alive, for a new optimizer brings new ones."""

    def __init__(self) -> None:
        self._seats: dict[int, Seat] = {}  # by id: variables cannot be hashed

    def of(self, variable: Any) -> str | None:
        """The plan's device of a variable; None if no plan has put it anywhere."""
        seat = self._seats.get(id(variable))
        return seat.planned if seat is not None and seat.variable() is variable else None

    def take(self, places: Iterable[tuple[Any, str, str]]) -> tuple[int, int]:
        """Bring variables to (the plan's device, TensorFlow's device). Returns (how many moved, their bytes)."""
        wanted = list(places)
        for variable, planned, _ in wanted:
            before = self._seats[id(variable)].home if self.of(variable) is not None else variable.device
            self._seats[id(variable)] = Seat(weakref.ref(variable), planned, before)
        return move((variable, device) for variable, _, device in wanted)

    def leave(self) -> None:
        """Bring all back to where they were."""
        there = ((seat.variable(), seat.home) for seat in self._seats.values())
        move((variable, home) for variable, home in there if variable is not None)
        self._seats = {}


def same_device(one: str, other: str) -> bool:
    """Whether two device names mean the same; what one of them leaves open agrees with anything."""
    from tensorflow import DeviceSpec

    a, b = DeviceSpec.from_string(one), DeviceSpec.from_string(other)
    parts = ("job", "replica", "task", "device_type", "device_index")
    pairs = ((getattr(a, part), getattr(b, part)) for part in parts)
    return all(x == y or x is None or y is None for x, y in pairs)


def _redirect(handles: Mapping[int, Any]) -> None:
    """Put new handles in place of old ones (by id) in everything that has been or is being traced."""
    from tensorflow.python.eager.polymorphic_function.concrete_function import ConcreteFunction
    from tensorflow.python.framework.func_graph import FuncGraph

    for item in gc.get_objects():
        if isinstance(item, FuncGraph):
            pairs = list(item.captures)
            if any(id(handle) in handles for handle, _ in pairs):
                external = [handles.get(id(handle), handle) for handle, _ in pairs]
                item._function_captures.reset_captures(external, [placeholder for _, placeholder in pairs])
        elif isinstance(item, ConcreteFunction):
            taken = item._captured_inputs
            if any(id(handle) in handles for handle in taken):
                item._captured_inputs = [handles.get(id(handle), handle) for handle in taken]
