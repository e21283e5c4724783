"""A Keras model's training step with the values its variables hold and the data it is given."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pardnn.placers.extract import traced_step, whole_step
from pardnn.placers.trace import held_by


class LiveStep(NamedTuple):
    """A step that can be run by itself."""

    message: Any
    """The GraphDef; its op `train` does it all."""
    values: dict[str, NDArray[Any]]
    """What variables hold, by op; those without a value yet are not among them."""
    feeds: dict[str, NDArray[Any]]
    """Arrays for placeholders; those of which only the shape is given are not among them."""


def live_step(made: Any, name: str, batch_size: int | None = None) -> LiveStep:
    """The training step of a compiled model, or of (model, x, y) with data for a batch. Raises InputError."""
    import tensorflow as tf

    graph, given = traced_step(made, name, batch_size)
    values: dict[str, NDArray[Any]] = {}
    feeds: dict[str, NDArray[Any]] = {}
    leaves = tf.nest.flatten(given)
    for placeholder, leaf in zip(graph.inputs[: len(leaves)], leaves, strict=True):
        if not isinstance(leaf, tf.TypeSpec):
            feeds[placeholder.op.name] = np.asarray(leaf)
    for capture, placeholder in graph.captures:
        made_of = held_by(capture)
        if made_of is None:
            if capture.dtype != tf.resource and hasattr(capture, "numpy"):
                feeds[placeholder.op.name] = capture.numpy()
            continue
        try:
            read = tf.raw_ops.ReadVariableOp(resource=capture, dtype=made_of.dtype)
        except tf.errors.FailedPreconditionError:  # made while the step was traced, and never set
            continue
        values[placeholder.op.name] = read.numpy()
    return LiveStep(whole_step(graph), values, feeds)
