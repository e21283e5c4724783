"""Small networks of people's own making: subclassed models, train steps, layers with branches and loops."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import keras
import tensorflow as tf
from keras import layers

from tests.keras.parts import Made, classifier, draw, labels


@contextmanager
def policy(name: str) -> Iterator[None]:
    """Layers that are made inside compute in this precision."""
    before = keras.mixed_precision.dtype_policy()
    keras.mixed_precision.set_dtype_policy(name)
    yield
    keras.mixed_precision.set_dtype_policy(before)


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
    return model, draw(5), draw(1)


class ScaledStep(OwnStep):
    """The same in half precision: the loss scaled up, its gradients scaled down, steps that overflow left out."""

    def train_step(self, data: Any) -> Any:
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(x, y, self(x, training=True), training=True)
            scaled = self.optimizer.scale_loss(loss)
        self.optimizer.apply(tape.gradient(scaled, self.trainable_weights), self.trainable_weights)
        self.mean.update_state(loss)
        return {"loss": self.mean.result(), "scale": self.optimizer.dynamic_scale}


def scaled_step() -> Made:
    """A custom train step that handles the loss scale itself; the scale grows on the way."""
    with policy("mixed_float16"):
        model = ScaledStep()
    model.compile(keras.optimizers.LossScaleOptimizer(keras.optimizers.Adam(0.01), dynamic_growth_steps=4), "mse")
    return model, draw(5), draw(1)


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
    return model, draw(6), None


class Vae(keras.Model):  # type: ignore[misc] # keras has no types
    """A variational autoencoder: a layer that draws, and a loss added where it arises."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.mean, self.spread = layers.Dense(8, "relu"), layers.Dense(2), layers.Dense(2)
        self.outer = keras.Sequential([layers.Dense(8, "relu"), layers.Dense(6)])
        self.seeds = keras.random.SeedGenerator(5)

    def call(self, x: Any) -> Any:
        inner = self.inner(x)
        mean, spread = self.mean(inner), self.spread(inner)
        self.add_loss(-0.05 * tf.reduce_mean(1.0 + spread - mean**2 - tf.exp(spread)))
        return self.outer(mean + tf.exp(0.5 * spread) * keras.random.normal(tf.shape(mean), seed=self.seeds))


def vae() -> Made:
    """An autoencoder with noise in its middle."""
    model = Vae()
    model.compile(keras.optimizers.Lion(0.01), "mse")
    return model, draw(6), draw(6)


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


def branching() -> Made:
    """Layers that are functions themselves."""
    model = keras.Sequential([keras.Input((8,)), Branching(), layers.Dense(3)])
    return classifier(model), draw(8), labels(3)


class Looped(layers.Layer):  # type: ignore[misc] # keras has no types
    """A loop with weights inside that ends by what it computes, and a branch in it."""

    def __init__(self) -> None:
        super().__init__()
        self.turn = layers.Dense(8, "tanh")

    def build(self, shape: Any) -> None:
        self.turn.build(shape)

    def call(self, x: Any) -> Any:
        def goes_on(i: Any, y: Any) -> Any:
            return (i < 4) & (tf.reduce_max(tf.abs(y)) > 0.01)

        def step(i: Any, y: Any) -> Any:
            turned = self.turn(y)
            return i + 1, tf.cond(tf.reduce_sum(y) > 0, lambda: 0.5 * (y + turned), lambda: turned)

        return tf.while_loop(goes_on, step, [0, x])[1]


def looped() -> Made:
    """A layer that is a loop of its own."""
    model = keras.Sequential([keras.Input((8,)), Looped(), layers.Dense(3)])
    return classifier(model, keras.optimizers.Adagrad(0.1)), draw(8), labels(3)
