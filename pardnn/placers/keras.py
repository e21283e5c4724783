"""A Keras model whose training step is placed when it is first traced; the model's code and class stay as they are.

    fit ──> make_train_function ──> first batch: build, trace ──> decide ──> devices, variables ──> run, read back
                                    another batch shape: trace ─────┘

Keras makes its train function from any step function, so loops over several steps, callbacks and data of all kinds keep
working: only the step is ours, and it is the model's own with devices put on at its end.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pardnn.errors import InputError, PardnnError
from pardnn.placers.batches import batch_of_data, batch_of_fit, peeked
from pardnn.placers.needs import require_backend
from pardnn.placers.placing import Placing
from pardnn.placers.verify import Verified, reading_back

_HOOKS = ("fit", "make_train_function", "make_test_function", "make_predict_function")


def require_model(model: Any) -> None:
    """Raise InputError for what cannot be placed, before anything is done to it."""
    require_backend()
    import keras

    if not isinstance(model, keras.Model):
        raise InputError(f"{type(model).__name__} cannot be placed: give a Keras model, a tf.function or a tf.Graph")
    if model._distribute_strategy is not None:
        raise InputError("the model was made under a tf.distribute strategy, which places it itself: make it without")
    if any(name in vars(model) for name in _HOOKS[1:]):
        raise InputError("the model is placed already: call remove() on its plan first")
    _require_graph(model)


def _require_graph(model: Any) -> None:
    if model.run_eagerly:
        raise InputError(
            "run_eagerly=True runs a step op by op, so there is no graph to place: compile with run_eagerly=False"
        )


class Hook:
    """The placement of one model: from `install` on, until `remove`."""

    def __init__(self, model: Any, placing: Placing, host: str, say: Callable[[str], None]) -> None:
        self._model = model
        self._placing = placing
        self._host = host
        self._say = say
        self._batch: int | None = None
        self._jit: bool | None = None
        self._own: dict[str, Any] = {}
        self._installed = False

    def install(self) -> None:
        """From now on, what Keras makes of the model's train step is placed."""
        model = self._model
        self._installed = True
        self._own = {name: vars(model)[name] for name in _HOOKS if name in vars(model)}
        fit, test, predict = model.fit, model.make_test_function, model.make_predict_function

        def fitted(*given: Any, **named: Any) -> Any:
            batch = batch_of_fit(model, given, named)
            if batch and self._batch and batch > self._batch:
                model.train_function = None  # TensorFlow would not trace again, but the plan may not hold for so many
            self._batch = batch or self._batch
            return fit(*given, **named)

        def plain(make: Callable[..., Any]) -> Callable[..., Any]:
            def made(force: bool = False) -> Any:
                self._compile_off()
                return make(force)

            return made

        model.fit = fitted
        model.make_train_function = self._make
        model.make_test_function = plain(test)
        model.make_predict_function = plain(predict)
        model.train_function = None
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
        model.train_function = model.test_function = model.predict_function = None
        self._placing.leave()

    def verify(self, *_: Any) -> Verified:
        """The planned devices of the first step since the model was compiled held against those read back from it."""
        return self._placing.verify("fit or train_on_batch")

    def _compile_off(self) -> None:
        """XLA runs a whole step on one device and says nothing."""
        if self._model.jit_compile:
            self._jit = True
            self._model.jit_compile = False
            self._model.test_function = self._model.predict_function = None
            self._say("jit_compile is turned off: XLA would run the whole step on one device")

    def _make(self, force: bool = False) -> Any:
        model = self._model
        if model.train_function is None or force:
            try:
                _require_graph(model)
            except InputError:
                self.remove()
                raise
            self._compile_off()
            model.train_function = self._first
        return model.train_function

    def _first(self, data: Any) -> Any:
        """The first step since the model was compiled: traced, placed, run and read back."""
        model = self._model
        batch, data = peeked(data)
        self._build(batch)
        function = self._guarded(model._make_function(self._step))
        with reading_back() as read:
            result = function(data)
        self._placing.hold(read)
        model.train_function = function
        return result

    def _guarded(self, function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """The train function, which leaves the model unplaced where a trace cannot be."""

        def guarded(data: Any) -> Any:
            try:
                return function(data)
            except PardnnError:
                self.remove()
                raise

        return guarded

    def _build(self, batch: Any) -> None:
        """Make what the model and its optimizer still lack, or the step is traced twice: on the host, then moved."""
        import keras
        import tensorflow as tf

        if batch is None or type(self._model).train_step is not keras.Model.train_step:
            return
        with tf.device(self._host):
            try:
                self._model._symbolic_build(data_batch=batch)
            except (ValueError, RuntimeError):  # then Keras makes it while it traces, or says what is wrong
                return

    def _step(self, data: Any) -> Any:
        """The model's train step, placed."""
        import tensorflow as tf

        result = self._model.train_step(data)
        self._batch = batch_of_data(data) or self._batch
        self._placing.trace(tf.compat.v1.get_default_graph(), self._batch)
        return result
