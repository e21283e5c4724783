"""A convolutional network over four camera views, each with its own weights, fused at half depth.

The kind of network that model parallelism is for: the four towers can run side by side, their memory together is more
than one card has, and what they exchange at the fusion is small beside what they compute.
"""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
from keras import layers

VIEWS = ("front", "left", "right", "rear")


def build(batch: int | None = 192, side: int = 224, width: int = 64, classes: int = 1000) -> keras.Model:
    """The compiled Keras model; each view is [batch, side, side, 3], the labels are [batch] class numbers."""
    inputs = [keras.Input((side, side, 3), batch, name=view) for view in VIEWS]
    fused = layers.Concatenate(name="fusion")([_tower(x, view, width) for x, view in zip(inputs, VIEWS, strict=True)])
    x = _conv(_conv(fused, 4 * width, 1, 1, "fusion_mix"), 4 * width, 3, 2, "fusion_conv")
    x = layers.GlobalAveragePooling2D(name="pool")(x)
    logits = layers.Dense(classes, name="logits")(x)
    model = keras.Model(inputs, logits, name="four_view")
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    # Plain SGD keeps the optimizer's part of the graph small; XLA would ignore the devices of single ops.
    model.compile(keras.optimizers.SGD(0.01), loss, jit_compile=False)
    return model


def _tower(x: keras.KerasTensor, view: str, width: int) -> keras.KerasTensor:
    """One view's features, an eighth of the side: a stem, then a wide and a deep branch that meet by addition."""
    stem = _conv(x, width, 3, 1, f"{view}_stem")
    wide = _conv(stem, 2 * width, 5, 4, f"{view}_wide")
    deep = _conv(_conv(stem, width, 3, 2, f"{view}_deep_a"), 2 * width, 3, 2, f"{view}_deep_b")
    both = layers.Add(name=f"{view}_add")([wide, deep])
    return _conv(both, 2 * width, 3, 2, f"{view}_out")


def _conv(x: keras.KerasTensor, filters: int, size: int, stride: int, name: str) -> keras.KerasTensor:
    """A convolution and its activation, [batch, side / stride, side / stride, filters]."""
    layer = layers.Conv2D(filters, size, stride, padding="same", activation="relu", use_bias=False, name=name)
    return layer(x)


def data(model: keras.Model, examples: int) -> tuple[Any, Any]:
    """Noisy views of each class's own four patterns, and the classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(model.outputs[0].shape[-1], size=examples).astype("int32")
    views = []
    for view in model.inputs:
        patterns = rng.standard_normal((model.outputs[0].shape[-1], *view.shape[1:]), "float32")
        views.append(patterns[y] + rng.standard_normal((examples, *view.shape[1:]), "float32"))
    return views, y


def small() -> tuple[keras.Model, Any, Any]:
    """(model, x, y) that train in seconds."""
    model = build(None, side=16, width=4, classes=3)
    return model, *data(model, 32)
