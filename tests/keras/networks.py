"""Small models of every kind that people train, each with its data: `NETWORKS[name]() -> (model, x, y)`, compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import tensorflow as tf
from keras import layers

N = 40
Made = tuple[Any, Any, Any]


def _draw(*shape: int) -> Any:
    return np.random.RandomState(sum(shape)).randn(N, *shape).astype("float32")


def _labels(classes: int) -> Any:
    return np.random.RandomState(classes).randint(0, classes, N)


def _classifier(model: Any, optimizer: Any = "adam", **given: Any) -> Any:
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer, loss, metrics=["accuracy"], **given)
    return model


def dense() -> Made:
    """A multi-layer perceptron, built when it is first traced."""
    model = keras.Sequential([layers.Dense(16, "relu"), layers.Dense(16, "relu"), layers.Dense(3)])
    return _classifier(model), _draw(8), _labels(3)


def cnn() -> Made:
    """Convolutions with batch normalisation and dropout."""
    model = keras.Sequential([
        keras.Input((8, 8, 3)),
        layers.Conv2D(6, 3, padding="same"), layers.BatchNormalization(), layers.ReLU(), layers.MaxPooling2D(),
        layers.Conv2D(8, 3, padding="same"), layers.BatchNormalization(), layers.ReLU(), layers.Dropout(0.3),
        layers.GlobalAveragePooling2D(), layers.Dense(4),
    ])  # fmt: skip
    return _classifier(model, keras.optimizers.SGD(0.05, momentum=0.9)), _draw(8, 8, 3), _labels(4)


def transformer() -> Made:
    """One encoder layer of attention over an embedding."""
    tokens = keras.Input((6,), dtype="int32")
    x = layers.Embedding(20, 8)(tokens)
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 4, dropout=0.1)(x, x))
    x = layers.LayerNormalization()(x + layers.Dense(8)(layers.Dense(16, "gelu")(x)))
    model = keras.Model(tokens, layers.Dense(3)(layers.GlobalAveragePooling1D()(x)))
    return _classifier(model), np.random.RandomState(0).randint(0, 20, (N, 6)), _labels(3)


def _lstm(unroll: bool) -> Made:
    model = keras.Sequential([
        keras.Input((5,), dtype="int32"), layers.Embedding(12, 6), layers.LSTM(8, dropout=0.2, unroll=unroll),
        layers.Dense(3),
    ])  # fmt: skip
    return _classifier(model), np.random.RandomState(0).randint(0, 12, (N, 5)), _labels(3)


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
    return _classifier(model, optimizer), _draw(8), _labels(3)


def two_in_two_out() -> Made:
    """Two inputs through a shared layer to two outputs."""
    a, b = keras.Input((6,), name="a"), keras.Input((6,), name="b")
    shared = layers.Dense(8, "tanh")
    joined = layers.concatenate([shared(a), shared(b)])
    model = keras.Model([a, b], [layers.Dense(1, name="u")(joined), layers.Dense(2, name="v")(joined)])
    model.compile(keras.optimizers.RMSprop(0.01), ["mse", "mae"], loss_weights=[1.0, 0.5])
    return model, [_draw(6), _draw(6) * 2], [_draw(1), _draw(2)]


class OwnStep(keras.Model):  # type: ignore[misc] # keras has no types
    """A subclassed model with a train step of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = layers.Dense(8, "relu")
        self.outer = layers.Dense(1)
        self.mean = keras.metrics.Mean("loss")

    def call(self, x: Any) -> Any:
        return self.outer(self.inner(x))

    def train_step(self, data: Any) -> Any:
        x, y = data
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((self(x, training=True) - y) ** 2) + 0.01 * tf.add_n(
                [tf.nn.l2_loss(w) for w in self.trainable_weights]
            )
        self.optimizer.apply_gradients(
            zip(tape.gradient(loss, self.trainable_weights), self.trainable_weights, strict=True)
        )
        self.mean.update_state(loss)
        return {"loss": self.mean.result()}


def own_train_step() -> Made:
    """A custom train step of a model that is not built before."""
    model = OwnStep()
    model.compile("adam")
    return model, _draw(5), _draw(1)


class Gan(keras.Model):  # type: ignore[misc] # keras has no types
    """Two networks, two optimizers, random numbers from a seed generator."""

    def __init__(self) -> None:
        super().__init__()
        self.maker = keras.Sequential([keras.Input((3,)), layers.Dense(8, "relu"), layers.Dense(6)])
        self.judge = keras.Sequential([keras.Input((6,)), layers.Dense(8, "relu"), layers.Dense(1)])
        self.first, self.second = keras.optimizers.Adam(0.01), keras.optimizers.SGD(0.01)
        self.seeds = keras.random.SeedGenerator(3)

    def train_step(self, real: Any) -> Any:
        entropy = keras.losses.BinaryCrossentropy(from_logits=True)
        noise = keras.random.normal((8, 3), seed=self.seeds)
        with tf.GradientTape() as tape:
            true, false = self.judge(real), self.judge(self.maker(noise))
            judged = entropy(tf.ones_like(true), true) + entropy(tf.zeros_like(false), false)
        weights = self.judge.trainable_weights
        self.first.apply_gradients(zip(tape.gradient(judged, weights), weights, strict=True))
        with tf.GradientTape() as tape:
            false = self.judge(self.maker(noise))
            made = entropy(tf.ones_like(false), false)
        weights = self.maker.trainable_weights
        self.second.apply_gradients(zip(tape.gradient(made, weights), weights, strict=True))
        return {"loss": judged, "made": made}


def gan() -> Made:
    """A generative adversarial pair."""
    model = Gan()
    model.compile()
    return model, _draw(6), None


def clipped_schedule() -> Made:
    """Clipped gradients, a schedule, weight decay, and an average of the weights."""
    rate = keras.optimizers.schedules.CosineDecay(0.05, 20, warmup_steps=3, warmup_target=0.1)
    optimizer = keras.optimizers.AdamW(rate, global_clipnorm=0.5, use_ema=True, ema_momentum=0.9)
    model = keras.Sequential([keras.Input((8,)), layers.Dense(16, "selu"), layers.Dense(3)])
    return _classifier(model, optimizer), _draw(8), _labels(3)


class Branching(layers.Layer):  # type: ignore[misc] # keras has no types
    """Functions in functions, a branch, and a gradient of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = layers.Dense(8), layers.Dense(8)

    def call(self, x: Any) -> Any:
        @tf.function  # type: ignore[untyped-decorator]
        def squared(t: Any) -> Any:
            return self.second(t) ** 2

        @tf.function  # type: ignore[untyped-decorator]
        def mixed(t: Any) -> Any:
            return tf.nn.tanh(self.first(t)) * 0.5 + squared(t)

        @tf.custom_gradient  # type: ignore[untyped-decorator]
        def clipped(t: Any) -> Any:
            return tf.identity(t), lambda g: tf.clip_by_value(g, -0.1, 0.1)

        y = clipped(mixed(x))
        return tf.cond(tf.reduce_sum(y) > 0, lambda: y * 2.0, lambda: mixed(y))


def nested() -> Made:
    """Layers that are functions themselves."""
    model = keras.Sequential([keras.Input((8,)), Branching(), layers.Dense(3)])
    return _classifier(model), _draw(8), _labels(3)


def compiled() -> Made:
    """XLA asked for."""
    model = keras.Sequential([keras.Input((8,)), layers.Dense(16, "relu"), layers.Dense(3)])
    return _classifier(model, jit_compile=True), _draw(8), _labels(3)


NETWORKS: dict[str, Callable[[], Made]] = {
    made.__name__: made
    for made in (
        dense, cnn, transformer, lstm_loop, lstm_unrolled, mixed_precision, two_in_two_out, own_train_step, gan,
        clipped_schedule, nested, compiled,
    )
}  # fmt: skip
