"""A language model that reads words by their letters: convolutions over characters, highway layers, stacked LSTMs.

Y. Kim, Y. Jernite, D. Sontag, A. M. Rush: Character-aware neural language models, AAAI 2016, arXiv 1508.06615. The
default is the paper's large network with LSTMs as many and as wide as in Qararyah et al., doi
10.1016/j.parco.2021.102792.
"""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
from keras import layers

FILTERS = (50, 100, 150, 200, 200, 200, 200)
"""Filters that see 1, 2, ... characters."""


def build(
    batch: int | None = 8,
    layer_count: int = 8,
    units: int = 2048,
    steps: int = 35,
    words: int = 10_000,
    letters: int = 21,
    alphabet: int = 64,
    embedding: int = 15,
    filters: tuple[int, ...] = FILTERS,
) -> keras.Model:
    """The compiled Keras model; letter numbers [batch, steps, letters] in, scores [batch, steps, words] out."""
    text = keras.Input((steps, letters), batch, "int32", name="text")
    x = layers.Embedding(alphabet, embedding, name="letters")(text)
    x = layers.TimeDistributed(_word(letters, embedding, filters), name="words")(x)
    for i in range(2):
        x = _highway(x, f"highway_{i}")
    for i in range(layer_count):
        x = layers.LSTM(units, return_sequences=True, unroll=True, name=f"lstm_{i}")(x)
        x = layers.Dropout(0.5, seed=i, name=f"dropout_{i}")(x)
    model = keras.Model(text, layers.Dense(words, name="logits")(x), name="char_cnn_rnn")
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.SGD(1.0, global_clipnorm=5.0), loss, jit_compile=False)
    return model


def _word(letters: int, embedding: int, filters: tuple[int, ...]) -> keras.Model:
    """From one word's letters [letters, embedding] to its features [sum of filters]: per filter, where it fits best."""
    word = keras.Input((letters, embedding))
    found = []
    for i, count in enumerate(filters, 1):
        seen = layers.Conv1D(count, i, activation="tanh", name=f"conv_{i}")(word)
        found.append(layers.GlobalMaxPooling1D(name=f"max_{i}")(seen))
    return keras.Model(word, layers.Concatenate(name="features")(found), name="word")


def _highway(x: keras.KerasTensor, name: str) -> keras.KerasTensor:
    """A layer and a gate that says how much of it passes, and how much of its input."""
    width = x.shape[-1]
    gate = layers.Dense(width, "sigmoid", bias_initializer=keras.initializers.Constant(-2.0), name=f"{name}_gate")(x)
    return x + gate * (layers.Dense(width, "relu", name=f"{name}_new")(x) - x)


def data(model: keras.Model, examples: int) -> tuple[Any, Any]:
    """Texts in which each word follows from the one before: letters of words in, next words out."""
    (_, steps, letters), words = model.inputs[0].shape, model.outputs[0].shape[-1]
    rng = np.random.default_rng(0)
    spelling = rng.integers(1, model.get_layer("letters").input_dim, (words, letters))
    text = (rng.integers(words, size=(examples, 1)) + 3 * np.arange(steps + 1)) % words
    return spelling[text[:, :-1]].astype("int32"), text[:, 1:].astype("int32")


def small() -> tuple[keras.Model, Any, Any]:
    """(model, x, y) that train in seconds."""
    model = build(
        None, layer_count=1, units=16, steps=4, words=12, letters=6, alphabet=10, embedding=4, filters=(4, 6, 8)
    )
    return model, *data(model, 32)
