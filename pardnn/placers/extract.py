"""A Keras model's training step as a GraphDef that stands alone: forward, loss, backward, update, metrics."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from os.path import isfile
from pathlib import Path
from typing import Any

from pardnn.errors import InputError, one_line
from pardnn.placers.built import build_all
from pardnn.placers.shortcuts import take_shortcuts
from pardnn.placers.trace import definition, ends

TRAIN_OP = "train"
"""The name of the op that does it all."""


def made_by(text: str) -> Any:
    """What the function returns that `module:function` or `file.py:function` names. Raises InputError."""
    place, colon, name = text.rpartition(":")
    if not colon or not place or not name:
        raise InputError(f"{text}: is not module:function or file.py:function")
    function = getattr(_module(place), name, None)
    if not callable(function):
        raise InputError(f"{text}: {place} has no function {name!r}")
    return _tried(text, function)


def _module(place: str) -> Any:
    if not place.endswith(".py"):
        if "" not in sys.path:
            sys.path.insert(0, "")  # as `python -m` does
        return _tried(place, lambda: importlib.import_module(place))
    path = Path(place)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if not isfile(path) or spec is None or spec.loader is None:
        raise InputError(f"{place}: cannot be read: there is no such file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # classes look their module up by name
    sys.path.insert(0, str(path.resolve().parent))  # as `python file.py` does
    loader = spec.loader
    _tried(place, lambda: loader.exec_module(module))
    return module


def _tried(text: str, use: Callable[[], Any]) -> Any:
    """What `use` returns; whatever the user's code raises becomes one line."""
    try:
        return use()
    except Exception as error:  # whatever it is: the code is not ours
        raise InputError(f"{text}: {type(error).__name__}: {one_line(error)}") from error


def extracted(made: Any, name: str, batch_size: int | None = None) -> tuple[Any, int | None]:
    """(GraphDef, batch size) of what a function made: a compiled model, or (model, x, y) with data for a batch.

    Variables are the ops that make them, and the op `train` waits for all that a step does. Without data, labels are as
    the loss wants them; an open batch size is `batch_size`. Raises InputError.
    """
    import tensorflow as tf

    traced, given = traced_step(made, name, batch_size)
    first = tf.TensorShape(tf.nest.flatten(given)[0].shape)
    return whole_step(traced), first[0] if first.rank else None


def whole_step(traced: Any) -> Any:
    """The GraphDef of a traced step that stands alone, with the op `train`."""
    graph = definition(traced)
    graph.node.add(name=TRAIN_OP, op="NoOp").input.extend(f"^{end}" for end in ends(traced, traced.outputs))
    return graph


def traced_step(made: Any, name: str, batch_size: int | None = None) -> tuple[Any, tuple[Any, ...]]:
    """(FuncGraph of the training step, the batch or its specifications) of what a function made. Raises InputError."""
    import keras
    import tensorflow as tf

    model, *data = made if isinstance(made, tuple) else (made,)
    if not isinstance(model, keras.Model):
        raise InputError(f"{name}: made {type(model).__name__}, not a Keras model or (model, x, y)")
    if not model.compiled:
        raise InputError(f"{name}: the model is not compiled, so there is no training step: call model.compile")
    given = tuple(data) if data else _data(model, name, batch_size)
    specs = tf.nest.map_structure(lambda leaf: tf.TensorSpec(leaf.shape, leaf.dtype), given)

    def trace() -> Any:
        build_all(model, specs)
        return tf.function(model.train_step, autograph=False).get_concrete_function(specs)

    graph = _tried(name, trace).graph
    take_shortcuts(graph, graph.outputs)
    return graph, given


def _data(model: Any, name: str, batch_size: int | None) -> tuple[Any, Any]:
    """Specifications of a batch, from the model's inputs, outputs and losses."""
    import tensorflow as tf

    functional = getattr(model, "_functional", None) or model  # inside a Sequential stands a functional model
    inputs = getattr(functional, "_inputs_struct", None)
    if inputs is None:
        raise InputError(f"{name}: the model does not say what its inputs are: return (model, x, y) with a batch")

    def batched(shape: Any) -> tuple[int | None, ...]:
        return (shape[0] or batch_size, *shape[1:])

    x = tf.nest.map_structure(lambda t: tf.TensorSpec(batched(t.shape), t.dtype), inputs)
    losses = model.loss if isinstance(model.loss, list | tuple) else [model.loss] * len(model.outputs)
    if isinstance(model.loss, dict):
        losses = [model.loss.get(output) for output in model.output_names]
    labels = []
    for loss, output in zip(losses, model.outputs, strict=True):
        sparse = "sparse" in str(getattr(loss, "name", loss))
        shape = batched(output.shape)
        labels.append(tf.TensorSpec(shape[:-1], "int32") if sparse else tf.TensorSpec(shape, output.dtype))
    y = dict(zip(model.output_names, labels, strict=True)) if isinstance(model.loss, dict) else labels
    return x, y if len(labels) > 1 or isinstance(model.loss, dict) else labels[0]
