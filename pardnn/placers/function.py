"""A tf.function whose graph is placed when it is traced, at the first call; the function stays the same object.

    call ──> trace ──> the user's code ──> decide ──> devices, variables ──> run, read back
             another shape: trace ──┘

Only the Python function inside is wrapped, so signatures, methods bound to objects, saving and calls from within other
functions go on working. What was traced before is set aside, for its ops have no devices, and comes back in the end.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, cast

from pardnn.errors import InputError, PardnnError
from pardnn.placers.batches import batch_of_arguments, batch_of_data
from pardnn.placers.needs import JIT_OFF, require_tensorflow
from pardnn.placers.placing import Placing
from pardnn.placers.verify import ReadBack, Verified, reading_back

_HOOKS = ("_call", "_get_concrete_function_garbage_collected", "__getstate__")
_SEEN = 0.1
"""TensorFlow folds and merges a good part of the ops, but never so many that only this share is left."""


def is_function(what: Any) -> bool:
    """Whether it came out of tf.function."""
    require_tensorflow()
    from tensorflow.python.eager.polymorphic_function.polymorphic_function import Function

    return isinstance(what, Function)


def require_function(function: Any) -> None:
    """Raise InputError for what cannot be placed, before anything is done to it."""
    import tensorflow as tf

    if _HOOKS[0] in vars(function):
        raise InputError("the function is placed already: call remove() on its plan first")
    if tf.config.functions_run_eagerly():
        raise InputError(
            "tf.config.run_functions_eagerly(True) runs functions op by op, so there is no graph to place: turn it off"
        )
    if "self" in function.function_type.parameters:
        name = function.python_function.__name__
        raise InputError(f"{name} is the method of a class: place that of an object, as in pardnn.place(object.{name})")


class FunctionHook:
    """The placement of one function: from `install` on, until `remove`."""

    def __init__(self, function: Any, placing: Placing, say: Callable[[str], None]) -> None:
        self._function = function
        self._placing = placing
        self._say = say
        self._own: dict[str, Any] = {}
        self._batch: int | None = None
        self._traced = False
        self._waiting = True
        """Whether a call with devices is still to be read back."""
        self._twin: Any = None
        self._reading = ExitStack()
        self._read: ReadBack | None = None

    def install(self) -> None:
        """From now on, what TensorFlow traces of the function is placed."""
        from tensorflow.core.function.polymorphism.function_cache import FunctionCache
        from tensorflow.python.saved_model.save_context import in_save_context
        from tensorflow.python.util import tf_decorator

        function = self._function
        fresh = {
            "_python_function": tf_decorator.make_decorator(function.python_function, self._wrapped()),
            "_function_cache": FunctionCache(),
            "_variable_creation_config": None,
            "_no_variable_creation_config": None,
            "_created_variables": None,
            "_jit_compile": None,
        }
        if function._jit_compile:
            self._say(JIT_OFF)
        self._own = {name: getattr(function, name) for name in fresh}
        call, concrete, state = (getattr(function, name) for name in _HOOKS)
        vars(function).update(fresh)

        def called(*given: Any, **named: Any) -> Any:
            return self._called(call, given, named)

        def traced(*given: Any, **named: Any) -> Any:
            return (self._saved() if in_save_context() else concrete)(*given, **named)

        def unplaced() -> Any:
            """A copy is a function of its own, which nobody has placed."""
            own = {name: value for name, value in state().items() if name not in _HOOKS}
            return own | self._own

        vars(function).update(dict(zip(_HOOKS, (called, traced, unplaced), strict=True)))

    def remove(self) -> None:
        """Make the function what it was, its variables where they were, with the values they have."""
        self._reading.close()
        if not self._own:
            return
        for name in _HOOKS:
            del vars(self._function)[name]
        vars(self._function).update(self._own)
        self._own = {}
        self._placing.leave()

    def verify(self, *_: Any) -> Verified:
        """The planned devices of the first call held against those read back from it."""
        if self._read is not None:
            self._hold(self._read)
        found = self._placing.verify("the function")
        if found.checked + len(found.moved) < _SEEN * found.gone:
            self._waiting = True
            raise InputError(
                "the function ran in a loop over a dataset, of which TensorFlow does not tell the devices: "
                "call it once by itself, then verify"
            )
        return found

    def _saved(self) -> Callable[..., Any]:
        """How a SavedModel comes by a graph of the function: without devices, for who loads it may not have them."""
        if self._twin is None:
            self._twin = self._function._clone(self._own["_python_function"])
        return cast(Callable[..., Any], self._twin._get_concrete_function_garbage_collected)

    def _wrapped(self) -> Callable[..., Any]:
        """The user's function as it is to be traced: `__wrapped__` is what it is, or what autograph made of it."""

        def wrapped(*given: Any, **named: Any) -> Any:
            import tensorflow as tf

            result = wrapped.__wrapped__(*given, **named)  # type: ignore[attr-defined] # set by make_decorator
            if tf.executing_eagerly():
                self._say("tf.config.run_functions_eagerly is on: the function runs op by op, unplaced")
            else:
                self._trace((given, named), result)
            return result

        return wrapped

    def _trace(self, arguments: Any, results: Any) -> None:
        import tensorflow as tf

        try:
            if tf.distribute.has_strategy():
                raise InputError("a tf.distribute strategy is in use, which places the step itself: call it without")
            batch = batch_of_data(arguments) or self._batch
            self._traced |= self._placing.trace(tf.compat.v1.get_default_graph(), results, batch)
        except PardnnError as error:
            error.ag_pass_through = True  # type: ignore[attr-defined] # else autograph makes many lines of one
            self.remove()
            raise

    def _called(self, call: Callable[..., Any], given: Any, named: Any) -> Any:
        """A call; the first one that runs a placed graph is read back."""
        import tensorflow as tf

        if not self._waiting:
            return call(*given, **named)
        self._batch = batch_of_arguments((given, named))
        if self._read is None:
            self._read = self._reading.enter_context(reading_back())
        result = call(*given, **named)
        if tf.executing_eagerly():  # within another function it will run later
            self._hold(self._read)
        return result

    def _hold(self, read: ReadBack) -> None:
        self._reading.close()
        self._read = None
        if self._traced:
            self._waiting = False
            self._placing.hold(read)
