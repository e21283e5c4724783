"""Variables where the ops are that use them: TensorFlow runs such ops where the variable is, whatever their device.

A variable is moved with its value; the Python object stays the same, so models, optimizers, checkpoints and metrics do
not notice. What was traced before holds the old handle, and would go on reading the old value without a word: every
such function gets the new one.
"""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, ClassVar, NamedTuple

from pardnn.placers.inner import concrete_function

_moving = threading.Lock()  # every traced function of the process is looked through, and perhaps changed


class Captured(NamedTuple):
    """A variable that a traced function uses, and the name of the argument by which it does."""

    variable: Any
    argument: str


def captured(graph: Any) -> list[Captured]:
    """The variables a traced graph uses: weights, slots, seeds, metrics, whoever owns them."""
    from tensorflow.python.ops.resource_variable_ops import BaseResourceVariable

    arguments = {id(handle): placeholder.op.name for handle, placeholder in graph.captures}
    found: dict[int, Captured] = {}
    for variable in living(BaseResourceVariable):  # nothing in the graph leads from a handle to its variable
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
    """Bring each variable to its device. Returns (how many moved, their bytes); one thread at a time."""
    with _moving:
        return _move(places)


def _move(places: Iterable[tuple[Any, str]]) -> tuple[int, int]:
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
    """A variable that a plan put somewhere, and TensorFlow's device on which it was before any plan."""

    variable: weakref.ref[Any]
    home: str


class Seats:
    """Where a plan put the variables of a step; they keep no variable alive, for a new optimizer brings new ones.

    Two plans can have a variable in common, as those of a GAN's two models or of two functions do: who comes second
    finds it seated, and the last to leave brings it home.
    """

    _all: ClassVar[weakref.WeakSet[Seats]] = weakref.WeakSet()  # as the variables, these are the whole process's

    def __init__(self, real: Mapping[str, str]) -> None:
        self._real = real
        self._seats: dict[int, Seat] = {}  # by id: variables cannot be hashed
        self._all.add(self)

    def of(self, variable: Any, others: bool = False) -> str | None:
        """The plan's device on which a variable is; None if no plan (with `others` none but this) has put it there."""
        if not any(seats._home(variable) for seats in self._all if not (others and seats is self)):
            return None
        return next((plan for plan, device in self._real.items() if same_device(device, variable.device)), None)

    def take(self, places: Iterable[tuple[Any, str]]) -> tuple[int, int]:
        """Bring variables to devices of TensorFlow's. Returns (how many moved, their bytes)."""
        wanted = list(places)
        for variable, _ in wanted:
            homes = filter(None, (seats._home(variable) for seats in self._all))
            self._seats[id(variable)] = Seat(weakref.ref(variable), next(homes, variable.device))
        return move(wanted)

    def leave(self) -> None:
        """Bring all that no other plan holds back to where they were."""
        own, self._seats = self._seats, {}
        there = ((seat.variable(), seat.home) for seat in own.values())
        move((v, home) for v, home in there if v is not None and not any(seats._home(v) for seats in self._all))

    def _home(self, variable: Any) -> str:
        seat = self._seats.get(id(variable))
        return seat.home if seat is not None and seat.variable() is variable else ""


@cache
def same_device(one: str, other: str) -> bool:
    """Whether two device names mean the same; what one of them leaves open agrees with anything."""
    from tensorflow import DeviceSpec

    a, b = DeviceSpec.from_string(one), DeviceSpec.from_string(other)
    parts = ("job", "replica", "task", "device_type", "device_index")
    pairs = ((getattr(a, part), getattr(b, part)) for part in parts)
    return all(x == y or x is None or y is None for x, y in pairs)


def _redirect(handles: Mapping[int, Any]) -> None:
    """Put new handles in place of old ones (by id) in everything that has been or is being traced."""
    from tensorflow.python.framework.func_graph import FuncGraph

    for item in living(FuncGraph, concrete_function()):
        if isinstance(item, FuncGraph):
            pairs = list(item.captures)
            if any(id(handle) in handles for handle, _ in pairs):
                external = [handles.get(id(handle), handle) for handle, _ in pairs]
                item._function_captures.reset_captures(external, [placeholder for _, placeholder in pairs])
        else:
            taken = item._captured_inputs
            if any(id(handle) in handles for handle in taken):
                item._captured_inputs = [handles.get(id(handle), handle) for handle in taken]


def living(*kinds: type) -> list[Any]:
    """All objects of these classes, whoever owns them; each class is asked once, for there are a million objects.

    The list of everything is let go of before it returns: a tuple that somebody fills meanwhile could not be resized.
    """
    if gc.get_freeze_count():
        gc.unfreeze()  # what is frozen is not among the objects told
    wanted: dict[type, bool] = {}
    found = []
    for item in gc.get_objects():
        kind = type(item)
        if kind not in wanted:
            wanted[kind] = issubclass(kind, kinds)
        if wanted[kind]:
            found.append(item)
    return found
