"""Networks that models/ does not have: `NAME(...) -> compiled model`, and `data(model, examples) -> (x, y)`."""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
from keras import layers

FEATURES = 256


def towers(batch: int, width: int, depth: int = 3) -> keras.Model:
    """Two stacks of dense layers side by side; what joins them is small."""
    inputs = [keras.Input((FEATURES,), batch, name=name) for name in ("left", "right")]
    ends = []
    for x in inputs:
        side = x.name
        for i in range(depth):
            x = layers.Dense(width, "tanh", name=f"{side}_{i}")(x)
        ends.append(layers.Dense(16, name=f"{side}_end")(x))
    return _compiled(inputs, layers.Dense(1, name="out")(layers.Concatenate(name="join")(ends)), "mse")


def vgg(batch: int, side: int, width: int) -> keras.Model:
    """A chain of convolutions: nothing in it runs beside anything but gradients of weights."""
    x = image = keras.Input((side, side, 3), batch, name="image")
    for stage in range(3):
        for i in range(2):
            x = layers.Conv2D(width << stage, 3, padding="same", activation="relu", name=f"conv_{stage}_{i}")(x)
        x = layers.MaxPooling2D(name=f"pool_{stage}")(x)
    x = layers.Dense(256, "relu", name="dense")(layers.Flatten(name="flat")(x))
    return _compiled(image, layers.Dense(10, name="logits")(x))


def tiny(batch: int) -> keras.Model:
    """Towers so small that a transfer takes longer than a layer."""
    return towers(batch, 32)


def recommender(batch: int, width: int, fields: int = 6, words: int = 2000) -> keras.Model:
    """Embeddings of some fields, each with layers of its own, all pairs of them, and layers on top; Adam."""
    inputs = [keras.Input((1,), batch, "int32", name=f"field_{i}") for i in range(fields)]
    ends = []
    for i, x in enumerate(inputs):
        x = layers.Flatten(name=f"flat_{i}")(layers.Embedding(words, 64, name=f"embedding_{i}")(x))
        ends.append(layers.Dense(128, "relu", name=f"own_{i}")(layers.Dense(width, "relu", name=f"wide_{i}")(x)))
    pairs = [layers.Dot(1, name=f"dot_{i}_{j}")([ends[i], ends[j]]) for i in range(fields) for j in range(i)]
    x = layers.Concatenate(name="join")([*ends, *pairs])
    for i in range(2):
        x = layers.Dense(width, "relu", name=f"top_{i}")(x)
    return _compiled(inputs, layers.Dense(1, name="out")(x), "mse", keras.optimizers.Adam(1e-4))


def drawn(batch: int, seed: int, width: int, count: int = 12, side: int = 0) -> keras.Model:
    """So many layers, each behind one or two of the last four that are drawn; convolutions where `side` is given."""
    rng = np.random.default_rng(seed)
    shape = (side, side, 3) if side else (FEATURES,)
    made = [keras.Input(shape, batch, name="fed")]
    for i in range(count):
        last = made[-4:]
        chosen = sorted(set(rng.integers(len(last), size=2).tolist()))
        x = layers.Concatenate(name=f"join_{i}")([last[j] for j in chosen]) if len(chosen) > 1 else last[chosen[0]]
        size = width * int(rng.integers(1, 4))
        how = rng.choice(["relu", "tanh", "gelu"])
        if side:
            made.append(layers.Conv2D(size, 3, padding="same", activation=how, name=f"layer_{i}")(x))
        else:
            made.append(layers.Dense(size, how, name=f"layer_{i}")(x))
    ends = [layers.GlobalAveragePooling2D(name=f"flat_{i}")(x) if side else x for i, x in enumerate(made[-4:])]
    return _compiled(made[0], layers.Dense(10, name="logits")(layers.Concatenate(name="ends")(ends)))


def data(model: keras.Model, examples: int) -> tuple[Any, Any]:
    """Drawn the same each time."""
    rng = np.random.default_rng(0)
    x = [
        rng.integers(0, 2000, (examples, *t.shape[1:])).astype("int32")
        if t.dtype == "int32"
        else rng.normal(size=(examples, *t.shape[1:])).astype("float32")
        for t in model.inputs
    ]
    width = model.outputs[0].shape[-1]
    y = rng.normal(size=(examples, 1)).astype("float32") if width == 1 else rng.integers(0, width, examples)
    return x if len(x) > 1 else x[0], y


def _compiled(inputs: Any, output: Any, loss: Any = None, optimizer: Any = None) -> keras.Model:
    model = keras.Model(inputs, output)
    loss = loss or keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer or keras.optimizers.SGD(1e-3), loss, jit_compile=False)
    return model
