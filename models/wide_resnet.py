"""A wide residual network for images: few blocks in a row, many channels in each.

S. Zagoruyko, N. Komodakis: Wide residual networks, BMVC 2016, doi 10.5244/C.30.87. The default is its WRN-28-10 for
CIFAR-100.
"""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
from keras import layers


def build(batch: int | None = 128, depth: int = 28, widen: int = 10, side: int = 32, classes: int = 100) -> keras.Model:
    """The compiled Keras model; images [batch, side, side, 3] in, class scores out; depth = 6 per block and 4 more."""
    image = keras.Input((side, side, 3), batch, name="image")
    x = _conv(image, 16, 3, 1, "stem")
    for stage in range(3):
        for block in range((depth - 4) // 6):
            stride = 2 if stage > 0 and block == 0 else 1
            x = _block(x, 16 * widen << stage, stride, f"stage{stage}_block{block}")
    x = layers.GlobalAveragePooling2D(name="pool")(_active(x, "last"))
    model = keras.Model(image, layers.Dense(classes, name="logits")(x), name="wide_resnet")
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True, weight_decay=5e-4)
    model.compile(optimizer, loss, metrics=["accuracy"], jit_compile=False)
    return model


def _block(x: keras.KerasTensor, filters: int, stride: int, name: str) -> keras.KerasTensor:
    """Two convolutions, each after its normalisation, added to what came in."""
    active = _active(x, f"{name}_a")
    same = x.shape[-1] == filters and stride == 1
    short = x if same else _conv(active, filters, 1, stride, f"{name}_short")
    y = _conv(active, filters, 3, stride, f"{name}_conv_a")
    y = layers.Dropout(0.3, seed=1, name=f"{name}_dropout")(_active(y, f"{name}_b"))
    return layers.Add(name=f"{name}_add")([short, _conv(y, filters, 3, 1, f"{name}_conv_b")])


def _active(x: keras.KerasTensor, name: str) -> keras.KerasTensor:
    return layers.ReLU(name=f"{name}_relu")(layers.BatchNormalization(name=f"{name}_norm")(x))


def _conv(x: keras.KerasTensor, filters: int, size: int, stride: int, name: str) -> keras.KerasTensor:
    layer = layers.Conv2D(filters, size, stride, "same", use_bias=False, kernel_initializer="he_normal", name=name)
    return layer(x)


def data(model: keras.Model, examples: int) -> tuple[Any, Any]:
    """Noisy pictures of each class's own pattern, and their classes."""
    rng = np.random.default_rng(0)
    patterns = rng.standard_normal((model.outputs[0].shape[-1], *model.inputs[0].shape[1:]), "float32")
    y = rng.integers(len(patterns), size=examples).astype("int32")
    return patterns[y] + rng.standard_normal((examples, *patterns.shape[1:]), "float32"), y


def small() -> tuple[keras.Model, Any, Any]:
    """(model, x, y) that train in seconds."""
    model = build(None, depth=10, widen=1, side=8, classes=4)
    return model, *data(model, 32)
