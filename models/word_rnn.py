"""A language model over words: stacked LSTMs, every step and layer an op of its own.

W. Zaremba, I. Sutskever, O. Vinyals: Recurrent neural network regularization, arXiv 1409.2329, 2014. The default has
the layers, units and steps of Word-RNN in Qararyah et al., doi 10.1016/j.parco.2021.102792.
"""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
from keras import layers


def build(
    batch: int | None = 16, layer_count: int = 8, units: int = 2048, steps: int = 28, words: int = 10_000
) -> keras.Model:
    """The compiled Keras model; word numbers [batch, steps] in, the next word's scores [batch, steps, words] out."""
    text = keras.Input((steps,), batch, "int32", name="text")
    x = layers.Embedding(words, units, name="embedding")(text)
    for i in range(layer_count):
        x = layers.Dropout(0.3, seed=i, name=f"dropout_{i}")(x)
        # Unrolled, a step of one layer can run beside the next layer's step before it; as a loop, it could not.
        x = layers.LSTM(units, return_sequences=True, unroll=True, name=f"lstm_{i}")(x)
    model = keras.Model(text, layers.Dense(words, name="logits")(x), name="word_rnn")
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.SGD(1.0, global_clipnorm=5.0), loss, jit_compile=False)
    return model


def data(model: keras.Model, examples: int) -> tuple[Any, Any]:
    """Texts in which a word mostly says which comes next, and the same one word on."""
    steps, words = model.inputs[0].shape[1], model.outputs[0].shape[-1]
    rng = np.random.default_rng(0)
    text = np.empty((examples, steps + 1), "int32")
    text[:, 0] = rng.integers(words, size=examples)
    for t in range(steps):
        surprise = rng.random(examples) < 0.1
        text[:, t + 1] = np.where(surprise, rng.integers(words, size=examples), (text[:, t] * 7 + 1) % words)
    return text[:, :-1], text[:, 1:]


def small() -> tuple[keras.Model, Any, Any]:
    """(model, x, y) that train in seconds."""
    model = build(None, layer_count=2, units=16, steps=6, words=12)
    return model, *data(model, 32)
