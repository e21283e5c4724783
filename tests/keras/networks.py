"""Small networks of every kind that people train, each with its data: `NETWORKS[name]() -> (model, x, y)`, compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
from keras import layers

from tests.keras.own import branching, gan, looped, own_train_step, scaled_step, vae
from tests.keras.parts import Made, N, classifier, draw, labels, words


def dense() -> Made:
    """A multi-layer perceptron, built when it is first traced."""
    model = keras.Sequential([layers.Dense(16, "relu"), layers.Dense(16, "relu"), layers.Dense(3)])
    return classifier(model), draw(8), labels(3)


def cnn() -> Made:
    """Convolutions with batch normalisation and dropout."""
    model = keras.Sequential([
        keras.Input((8, 8, 3)),
        layers.Conv2D(6, 3, padding="same"), layers.BatchNormalization(), layers.ReLU(), layers.MaxPooling2D(),
        layers.Conv2D(8, 3, padding="same"), layers.BatchNormalization(), layers.ReLU(), layers.Dropout(0.3),
        layers.GlobalAveragePooling2D(), layers.Dense(4),
    ])  # fmt: skip
    return classifier(model, keras.optimizers.SGD(0.05, momentum=0.9)), draw(8, 8, 3), labels(4)


def transformer() -> Made:
    """One encoder layer of attention over an embedding."""
    tokens = keras.Input((6,), dtype="int32")
    x = layers.Embedding(20, 8)(tokens)
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 4, dropout=0.1)(x, x))
    x = layers.LayerNormalization()(x + layers.Dense(8)(layers.Dense(16, "gelu")(x)))
    model = keras.Model(tokens, layers.Dense(3)(layers.GlobalAveragePooling1D()(x)))
    return classifier(model), words(6, 20), labels(3)


def _lstm(unroll: bool) -> Made:
    model = keras.Sequential([
        keras.Input((5,), dtype="int32"), layers.Embedding(12, 6), layers.LSTM(8, dropout=0.2, unroll=unroll),
        layers.Dense(3),
    ])  # fmt: skip
    return classifier(model), words(5, 12), labels(3)


def lstm_loop() -> Made:
    """An LSTM as a while loop."""
    return _lstm(unroll=False)


def lstm_unrolled() -> Made:
    """The same without a loop."""
    return _lstm(unroll=True)


def mixed_precision() -> Made:
    """Half precision and a loss scale that adapts."""
    policy = keras.mixed_precision.DTypePolicy("mixed_float16")
    model = keras.Sequential([
        keras.Input((8,)), layers.Dense(16, "relu", dtype=policy), layers.Dense(16, "relu", dtype=policy),
        layers.Dense(3, dtype="float32"),
    ])  # fmt: skip
    optimizer = keras.optimizers.LossScaleOptimizer(keras.optimizers.Adam(0.01))
    return classifier(model, optimizer), draw(8), labels(3)


def two_in_two_out() -> Made:
    """Two inputs through a shared layer to two outputs."""
    a, b = keras.Input((6,), name="a"), keras.Input((6,), name="b")
    shared = layers.Dense(8, "tanh")
    joined = layers.concatenate([shared(a), shared(b)])
    model = keras.Model([a, b], [layers.Dense(1, name="u")(joined), layers.Dense(2, name="v")(joined)])
    model.compile(keras.optimizers.RMSprop(0.01), ["mse", "mae"], loss_weights=[1.0, 0.5])
    return model, [draw(6), draw(6) * 2], [draw(1), draw(2)]


def clipped_schedule() -> Made:
    """Clipped gradients, a schedule, weight decay, and an average of the weights."""
    rate = keras.optimizers.schedules.CosineDecay(0.05, 20, warmup_steps=3, warmup_target=0.1)
    optimizer = keras.optimizers.AdamW(rate, global_clipnorm=0.5, use_ema=True, ema_momentum=0.9)
    model = keras.Sequential([keras.Input((8,)), layers.Dense(16, "selu"), layers.Dense(3)])
    return classifier(model, optimizer), draw(8), labels(3)


def compiled() -> Made:
    """XLA asked for."""
    model = keras.Sequential([keras.Input((8,)), layers.Dense(16, "relu"), layers.Dense(3)])
    return classifier(model, jit_compile=True), draw(8), labels(3)


def siamese() -> Made:
    """One tower for two inputs, their distance and the class of the first, each with a loss of its own."""
    a, b = keras.Input((6, 6, 2), name="a"), keras.Input((6, 6, 2), name="b")
    tower = keras.Sequential([
        keras.Input((6, 6, 2)), layers.Conv2D(4, 3, activation="relu"), layers.BatchNormalization(), layers.Flatten(),
        layers.Dense(8),
    ], name="tower")  # fmt: skip
    left, right = tower(a), tower(b)
    apart = layers.Dense(1, name="apart")((left - right) ** 2)
    model = keras.Model([a, b], {"apart": apart, "kind": layers.Dense(3, name="kind")(left)})
    losses = {
        "apart": keras.losses.BinaryCrossentropy(from_logits=True),
        "kind": keras.losses.SparseCategoricalCrossentropy(from_logits=True),
    }
    model.compile("adam", losses, loss_weights={"apart": 2.0, "kind": 0.5}, metrics={"kind": ["accuracy"]})
    return model, [draw(6, 6, 2), draw(6, 6, 2)[::-1].copy()], {"apart": labels(2)[:, None], "kind": labels(3)}


def bidirectional() -> Made:
    """A GRU over an LSTM that reads both ways, with padding masked."""
    model = keras.Sequential([
        keras.Input((6,), dtype="int32"), layers.Embedding(12, 6, mask_zero=True),
        layers.Bidirectional(layers.LSTM(5, return_sequences=True)),
        layers.GRU(8, recurrent_dropout=0.1), layers.Dense(3),
    ])  # fmt: skip
    sentences = words(6, 11) + 1
    sentences[::3, 4:] = 0
    return classifier(model, keras.optimizers.Nadam(0.01)), sentences, labels(3)


def accumulated() -> Made:
    """Gradients of two steps added up before the weights change, and an average of the weights put in their place."""
    optimizer = keras.optimizers.SGD(
        0.05, momentum=0.9, nesterov=True, clipvalue=0.5, gradient_accumulation_steps=2, use_ema=True,
        ema_momentum=0.9, ema_overwrite_frequency=4,
    )  # fmt: skip
    model = keras.Sequential([keras.Input((8,)), layers.Dense(16, "relu"), layers.Dropout(0.2), layers.Dense(3)])
    return classifier(model, optimizer), draw(8), labels(3)


def unet() -> Made:
    """A U-Net of separable convolutions and group normalisation, with a class for every pixel."""

    def block(x: Any, width: int) -> Any:
        return layers.GroupNormalization(2)(layers.SeparableConv2D(width, 3, padding="same", activation="silu")(x))

    image = keras.Input((8, 8, 3))
    fine = block(image, 4)
    coarse = block(layers.MaxPooling2D()(fine), 8)
    deep = block(layers.AveragePooling2D(2)(coarse), 8)
    coarse = block(layers.concatenate([layers.UpSampling2D()(deep), coarse]), 8)
    fine = block(layers.concatenate([layers.Conv2DTranspose(4, 2, 2)(coarse), fine]), 4)
    model = keras.Model(image, layers.Conv2D(3, 1)(fine))
    return classifier(model, "adamax"), draw(8, 8, 3), np.random.RandomState(0).randint(0, 3, (N, 8, 8))


NETWORKS: dict[str, Callable[[], Made]] = {
    made.__name__: made
    for made in (
        dense, cnn, transformer, lstm_loop, lstm_unrolled, bidirectional, mixed_precision, two_in_two_out, siamese,
        unet, clipped_schedule, accumulated, compiled, own_train_step, scaled_step, gan, vae, branching, looped,
    )
}  # fmt: skip
