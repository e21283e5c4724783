"""VGG-16 for images: thirteen convolutions, three dense layers that hold most of the weights.

K. Simonyan, A. Zisserman: Very deep convolutional networks for large-scale image recognition, ICLR 2015,
arXiv 1409.1556; configuration D.
"""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
from keras import layers

STAGES = (2, 2, 3, 3, 3)
"""Convolutions before each pooling."""


def build(
    batch: int | None = 32,
    side: int = 224,
    width: int = 64,
    dense: int = 4096,
    classes: int = 1000,
    optimizer: str = "sgd",
) -> keras.Model:
    """The compiled Keras model; images [batch, side, side, 3] in, class scores out; `optimizer` as Keras names it."""
    image = keras.Input((side, side, 3), batch, name="image")
    x = image
    for stage, convolutions in enumerate(STAGES):
        for number in range(convolutions):
            filters = min(width << stage, 8 * width)
            name = f"conv{stage + 1}_{number + 1}"
            x = layers.Conv2D(filters, 3, padding="same", activation="relu", name=name)(x)
        x = layers.MaxPooling2D(2, padding="same", name=f"pool{stage + 1}")(x)
    x = layers.Flatten(name="flat")(x)
    for number in (1, 2):
        x = layers.Dense(dense, activation="relu", name=f"dense{number}")(x)
    model = keras.Model(image, layers.Dense(classes, name="logits")(x), name="vgg16")
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.get(optimizer), loss, jit_compile=False)
    return model


def data(model: keras.Model, examples: int) -> tuple[Any, Any]:
    """Noisy pictures of each class's own pattern, and their classes."""
    rng = np.random.default_rng(0)
    patterns = rng.standard_normal((model.outputs[0].shape[-1], *model.inputs[0].shape[1:]), "float32")
    y = rng.integers(len(patterns), size=examples).astype("int32")
    return patterns[y] + rng.standard_normal((examples, *patterns.shape[1:]), "float32"), y


def small() -> tuple[keras.Model, Any, Any]:
    """(model, x, y) that train in seconds."""
    model = build(None, side=32, width=8, dense=64, classes=4)
    model.compile(keras.optimizers.Adam(0.003), model.loss, jit_compile=False)
    return model, *data(model, 32)
