"""Parts of the small networks that tests train: data that is the same each time, and how a classifier is compiled."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np

N = 40
Made = tuple[Any, Any, Any]
"""(model, x, y), compiled."""


def draw(*shape: int) -> Any:
    """N examples of this shape."""
    return np.random.RandomState(sum(shape)).randn(N, *shape).astype("float32")


def words(length: int, known: int) -> Any:
    """N sentences of word numbers below `known`."""
    return np.random.RandomState(0).randint(0, known, (N, length))


def labels(classes: int) -> Any:
    """N class numbers."""
    return np.random.RandomState(classes).randint(0, classes, N)


def classifier(model: Any, optimizer: Any = "adam", **given: Any) -> Any:
    """The model, compiled with a loss and a metric for class numbers."""
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer, loss, metrics=["accuracy"], **given)
    return model
