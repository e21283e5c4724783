"""A Transformer that translates: an encoder of one sentence, a decoder of the other that looks at both.

A. Vaswani et al.: Attention is all you need, NeurIPS 2017, arXiv 1706.03762. The default is its "big" network. Differs
from it: the scores have weights of their own instead of the embedding's.
"""

from __future__ import annotations

from typing import Any

import keras
import numpy as np
from keras import layers


def build(
    batch: int | None = 32,
    blocks: int = 6,
    width: int = 1024,
    inner: int = 4096,
    heads: int = 16,
    steps: int = 64,
    words: int = 37_000,
) -> keras.Model:
    """The compiled Keras model; two sentences of word numbers [batch, steps] in, scores [batch, steps, words] out."""
    source, target = (keras.Input((steps,), batch, "int32", name=name) for name in ("source", "target"))
    embedding = layers.Embedding(words, width, embeddings_initializer=keras.initializers.RandomNormal(0, 1, seed=1))
    position = keras.ops.convert_to_tensor(_positions(steps, width))
    x, y = embedding(source) + position, embedding(target) + position
    for i in range(blocks):
        x = _attention(x, x, heads, f"encoder{i}_self")
        x = _feed_forward(x, inner, f"encoder{i}_inner")
    for i in range(blocks):
        y = _attention(y, y, heads, f"decoder{i}_self", causal=True)
        y = _attention(y, x, heads, f"decoder{i}_cross")
        y = _feed_forward(y, inner, f"decoder{i}_inner")
    model = keras.Model([source, target], layers.Dense(words, name="logits")(y), name="transformer")
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(1e-3, 0.9, 0.98, 1e-9), loss, jit_compile=False)
    return model


def _positions(steps: int, width: int) -> Any:
    """Waves from short to long, [steps, width], by which a word knows where it stands."""
    angle = np.arange(steps)[:, None] / 10_000 ** (np.arange(0, width, 2) / width)
    return np.concatenate([np.sin(angle), np.cos(angle)], axis=1).astype("float32")


def _attention(
    x: keras.KerasTensor, seen: keras.KerasTensor, heads: int, name: str, *, causal: bool = False
) -> keras.KerasTensor:
    """What each word finds among those it sees, added to it and normalised."""
    attention = layers.MultiHeadAttention(heads, x.shape[-1] // heads, dropout=0.1, seed=1, name=name)
    return layers.LayerNormalization(name=f"{name}_norm")(x + attention(x, seen, use_causal_mask=causal))


def _feed_forward(x: keras.KerasTensor, inner: int, name: str) -> keras.KerasTensor:
    """Two dense layers on each word alone, added to it and normalised."""
    y = layers.Dense(x.shape[-1], name=f"{name}_out")(layers.Dense(inner, "relu", name=f"{name}_in")(x))
    return layers.LayerNormalization(name=f"{name}_norm")(x + layers.Dropout(0.1, seed=1, name=f"{name}_dropout")(y))


def data(model: keras.Model, examples: int) -> tuple[Any, Any]:
    """Sentences, and their translation: each word has one of its own; the decoder sees it one word late."""
    steps, words = model.inputs[0].shape[1], model.outputs[0].shape[-1]
    rng = np.random.default_rng(0)
    source = rng.integers(1, words, (examples, steps)).astype("int32")
    translated = rng.permutation(words)[source].astype("int32")
    begun = np.concatenate([np.zeros((examples, 1), "int32"), translated[:, :-1]], axis=1)
    return [source, begun], translated


def small() -> tuple[keras.Model, Any, Any]:
    """(model, x, y) that train in seconds."""
    model = build(None, blocks=1, width=16, inner=32, heads=2, steps=5, words=12)
    return model, *data(model, 32)
