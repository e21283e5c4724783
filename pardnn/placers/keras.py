"""A Keras model whose steps are placed when they are first traced; the model's code and class stay as they are.

    fit ──> make_train_function ──> first batch: build, trace ──> decide ──> devices, variables ──> run, read back
                                    another batch shape: trace ─────┘
    evaluate, predict: the same, where the training step has its ops and variables

Keras makes its functions from any step function, so loops over several steps, callbacks and data of all kinds keep
working: only the step is ours, and it is the model's own with devices put on at its end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

from pardnn.errors import InputError, PardnnError
from pardnn.placers.batches import batch_of_call, batch_of_data, peeked
from pardnn.placers.built import build_all
from pardnn.placers.joining import lost
from pardnn.placers.needs import JIT_OFF, require_backend
from pardnn.placers.placing import Placing
from pardnn.placers.trace import CALLED, MAIN, Kind
from pardnn.placers.verify import ReadBack, Verified, reading_back

_CALLS = {method: kind for kind, method in CALLED.items()}
_MAKERS: dict[str, Kind] = {f"make_{kind}_function": kind for kind in _CALLS.values()}
_HOOKS = (*_CALLS, *_MAKERS)


def require_model(model: Any) -> None:
    """Raise InputError for what cannot be placed, before anything is done to it."""
    require_backend()
    import keras

    if not isinstance(model, keras.Model):
        raise InputError(f"{type(model).__name__} cannot be placed: give a Keras model, a tf.function or a tf.Graph")
    if model._distribute_strategy is not None:
        raise InputError("the model was made under a tf.distribute strategy, which places it itself: make it without")
    if any(name in vars(model) for name in _MAKERS):
        raise InputError("the model is placed already: call remove() on its plan first")
    _require_graph(model)


def _require_graph(model: Any) -> None:
    if model.run_eagerly:
        raise InputError(
            "run_eagerly=True runs a step op by op, so there is no graph to place: compile with run_eagerly=False"
        )


class _Reading(threading.local):
    """What the call under way is read back into, each thread's own: several may predict at once."""

    def __init__(self) -> None:
        self.read: ReadBack | None = None
        self._stack = ExitStack()

    def open(self) -> None:
        """Begin, where that has not been done."""
        if self.read is None:
            self.read = self._stack.enter_context(reading_back())

    def close(self) -> None:
        """End, where there is something to end."""
        self.read = None
        self._stack.close()


class ModelHook:
    """The placement of one model: from `install` on, until `remove`."""

    def __init__(self, model: Any, placing: Placing, host: str, say: Callable[[str], None]) -> None:
        self._model = model
        self._placing = placing
        self._host = host
        self._say = say
        self._batch: dict[Kind, int] = {}
        self._jit: bool | None = None
        self._own: dict[str, Any] = {}
        self._keras: dict[Kind, Callable[..., Any]] = {}
        self._installed = False
        self._reading = _Reading()

    def install(self) -> None:
        """From now on, what Keras makes of the model's steps is placed."""
        model = self._model
        self._installed = True
        self._own = {name: vars(model)[name] for name in _HOOKS if name in vars(model)}
        self._keras = {kind: getattr(model, name) for name, kind in _MAKERS.items()}
        for name, kind in _CALLS.items():
            setattr(model, name, self._called(name, kind, getattr(model, name)))
        for name, kind in _MAKERS.items():
            setattr(model, name, partial(self._make, kind))
        self._forget(*_CALLS.values())
        if model.compiled:
            self._compile_off()

    def remove(self) -> None:
        """Make the model what it was: its own functions, its variables where they were, with the values they have."""
        model = self._model
        if not self._installed:
            return
        self._installed = False
        for name in _HOOKS:
            delattr(model, name)
        for name, value in self._own.items():
            setattr(model, name, value)
        if self._jit is not None:
            model.jit_compile = self._jit
        self._forget(*_CALLS.values())
        self._placing.leave()

    def verify(self, *_: Any) -> Verified:
        """The planned devices of all steps that were traced held against those read back when they first ran."""
        return self._placing.verify("fit or train_on_batch")

    def _forget(self, *kinds: Kind) -> None:
        """Have Keras make functions anew."""
        for kind in kinds:
            setattr(self._model, f"{kind}_function", None)

    def _compile_off(self) -> None:
        """XLA runs a whole step on one device and says nothing."""
        if self._model.jit_compile:
            self._jit = True
            self._model.jit_compile = False
            self._forget("test", "predict")
            self._say(JIT_OFF)

    def _called(self, name: str, kind: Kind, method: Callable[..., Any]) -> Callable[..., Any]:
        """A method of the model that notes the batch size it is called with, and tells of a host that is lost."""

        def called(*given: Any, **named: Any) -> Any:
            batch, known = batch_of_call(self._model, name, given, named), self._batch.get(kind)
            if batch and known and batch > known:
                self._forget(kind)  # TensorFlow would not trace again, but the plan may not hold for so many
            if batch:
                self._batch[kind] = batch
            try:
                return method(*given, **named)
            except Exception as error:
                if (gone := lost(error)) is not None:
                    raise gone from None
                raise

        return called

    def _make(self, kind: Kind, force: bool = False) -> Any:
        """As Keras's own: the model's function for such steps."""
        name = f"{kind}_function"
        if force or getattr(self._model, name) is None:
            try:
                _require_graph(self._model)
            except InputError:
                self.remove()
                raise
            self._compile_off()
            setattr(self._model, name, self._first if kind == MAIN else self._watched(self._made(kind)))
        return getattr(self._model, name)

    def _made(self, kind: Kind) -> Callable[[Any], Any]:
        """What Keras makes of a step that is placed when it is traced."""
        import tensorflow as tf

        model = self._model
        if kind != "predict":
            return model._make_function(partial(self._step, kind, getattr(model, f"{kind}_step")))  # type: ignore[no-any-return]
        self._keras[kind](True)  # it joins the results of several steps, so there the whole function is placed
        step = partial(self._step, kind, model.predict_function.python_function)
        return tf.function(step, reduce_retracing=True, autograph=False)  # type: ignore[no-any-return]

    def _first(self, data: Any) -> Any:
        """The first training step since the model was compiled: built, traced, placed, run and read back."""
        if self._model.train_function not in (None, self._first):  # someone kept this function and calls it again
            return self._model.train_function(data)
        batch, data = peeked(data)
        self._build(batch)
        function = self._watched(self._made(MAIN))
        result = function(data)
        self._model.train_function = function
        return result

    def _watched(self, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """A function read back when it was traced, which leaves the model unplaced where a trace cannot be placed."""

        def watched(data: Any) -> Any:
            try:
                result = function(data)
                if (read := self._reading.read) is not None:
                    self._reading.close()
                    self._placing.hold(read)
                return result
            except PardnnError:
                self.remove()
                raise
            finally:
                self._reading.close()

        return watched

    def _build(self, batch: Any) -> None:
        """Make what the model and its optimizer still lack, or the step is traced twice: on the host, then moved."""
        import tensorflow as tf

        if batch is None:
            return
        with tf.device(self._host):
            try:
                build_all(self._model, batch)
            except (ValueError, RuntimeError):  # then Keras makes it while it traces, or says what is wrong
                return

    def _step(self, kind: Kind, step: Callable[[Any], Any], data: Any) -> Any:
        """One of the model's steps, placed."""
        import tensorflow as tf

        result = step(data)
        size = batch_of_data(data)
        if size:
            self._batch[kind] = size
        moved = self._placing.moved_variables
        graph = tf.compat.v1.get_default_graph()
        batch = self._batch.get(kind) or self._batch.get(MAIN)
        placed = self._placing.trace(graph, result, batch, kind, iterated=True)
        if placed:
            self._reading.open()
        if kind == MAIN and self._placing.moved_variables > moved:
            self._forget("test", "predict")  # their ops were placed around other places
        return result
