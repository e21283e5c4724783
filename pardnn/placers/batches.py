"""How many examples a training step takes, from whatever `fit` is given: a traced step often leaves it open."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

_KERAS_DEFAULT = 32
_DEEPEST = 32


def batch_of_call(model: Any, method: str, given: Sequence[Any], named: Mapping[str, Any]) -> int | None:
    """The batch size of a call of `fit`, `evaluate` or `predict`; None = it cannot be told without drawing data."""
    try:
        function = getattr(type(model), method)
        arguments = inspect.signature(function).bind_partial(model, *given, **named).arguments
    except TypeError:  # the method itself will say what is wrong
        return None
    x, size = arguments.get("x"), arguments.get("batch_size")
    if isinstance(size, int):
        return size
    if (found := _of_dataset(x)) is not None:
        return found
    rows = [leaf.shape[0] for leaf in _leaves(x) if getattr(leaf, "shape", ())]
    return min(_KERAS_DEFAULT, int(rows[0])) if rows and len(rows) == len(_leaves(x)) else None


def batch_of_data(data: Any) -> int | None:
    """The leading dimension of the tensors of a batch or of their specifications, where it is known."""
    import tensorflow as tf

    for leaf in tf.nest.flatten(data):
        shape = getattr(leaf, "shape", None)
        if shape is not None and len(shape) and shape[0] is not None:
            return int(shape[0])
    return None


def batch_of_arguments(arguments: Any) -> int | None:
    """The batch size of what a function is called with: tensors, arrays, datasets and iterators over these."""
    import tensorflow as tf

    leaves = tf.nest.flatten(arguments)
    datasets = (getattr(leaf, "_dataset", leaf) for leaf in leaves)
    return batch_of_data(arguments) or next((size for data in datasets if (size := _of_dataset(data))), None)


def peeked(data: Any) -> tuple[Any, Any]:
    """(what the first batch looks like, None if that cannot be told; the same data with nothing taken from it)."""
    import tensorflow as tf

    spec = getattr(data, "element_spec", None)
    if spec is not None:
        plain = tf.nest.map_structure(lambda s: None if isinstance(s, tf.OptionalSpec) else s, spec)
        known = all(s is None or isinstance(s, tf.TensorSpec) for s in tf.nest.flatten(plain))
        return plain if known else None, data
    iterator = iter(data)
    try:
        first = next(iterator)
    except StopIteration:
        return None, iter(())
    known = all(leaf is None or hasattr(leaf, "dtype") for leaf in tf.nest.flatten(first))
    return first if known else None, chain([first], iterator)


def _of_dataset(data: Any) -> int | None:
    """The constant of the last `batch` that a tf.data.Dataset went through."""
    import tensorflow as tf

    for _ in range(_DEEPEST):
        if not isinstance(data, tf.data.Dataset):
            return None
        size = getattr(data, "_batch_size", None)
        if size is not None:
            value = tf.get_static_value(size)
            return None if value is None else int(value)
        inputs = data._inputs()
        data = inputs[0] if inputs else None
    return None


def _leaves(data: Any) -> list[Any]:
    import tensorflow as tf

    return list(tf.nest.flatten(data))
