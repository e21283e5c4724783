"""What can be placed live, and how: a Keras model, a tf.function, a ConcreteFunction, a graph for sessions."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from pardnn.errors import InputError
from pardnn.placers.needs import require_tensorflow
from pardnn.placers.placing import Placing
from pardnn.placers.verify import Verified


class Hook(Protocol):
    """The placement of one thing, from `install` until `remove`; what fails leaves that thing as it was."""

    def install(self) -> None:
        """Place it, now or when it is traced."""

    def remove(self) -> None:
        """Make it what it was; once is as good as twice."""

    def verify(self, session: Any, feed_dict: Any) -> Verified:
        """Its planned devices held against the real ones."""


def require_placeable(what: Any, targets: Sequence[str]) -> None:
    """Raise InputError for what cannot be placed, before anything is done to it."""
    require_tensorflow()
    from pardnn.placers import concrete, function, keras, session

    if session.is_graph(what):
        session.require_graph(what)
        return
    if targets:
        raise InputError("targets: the whole step of a model or a function is placed; targets are for graphs")
    if concrete.is_concrete(what):
        concrete.require_concrete(what)
    elif function.is_function(what):
        function.require_function(what)
    elif inspect.isroutine(what):
        raise InputError(f"{what.__name__} is plain Python: decorate it with @tf.function, then place it")
    else:
        keras.require_model(what)


def hook(what: Any, placing: Placing, targets: Sequence[str], host: str, say: Callable[[str], None]) -> Hook:
    """How to place it."""
    from pardnn.placers import concrete, function, keras, session

    if session.is_graph(what):
        return session.GraphHook(what, placing, targets)
    if concrete.is_concrete(what):
        return concrete.ConcreteHook(what, placing, say)
    if function.is_function(what):
        return function.FunctionHook(what, placing, say)
    return keras.ModelHook(what, placing, host, say)
