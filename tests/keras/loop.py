"""A training loop of one's own, as tutorials write it, and what it comes to unplaced and placed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.keras.cases import Facts, placed


def data() -> tuple[Any, Any]:
    """32 examples."""
    import numpy as np

    return np.random.RandomState(0).rand(32, 6).astype("float32"), np.arange(32) % 3


class Loop:
    """A model, an optimizer and a step, as tutorials write them."""

    def __init__(self, **options: Any) -> None:
        import keras
        import tensorflow as tf

        keras.utils.set_random_seed(1)
        layers = [keras.Input((6,)), keras.layers.Dense(8, "relu"), keras.layers.Dropout(0.5), keras.layers.Dense(3)]
        self.model = model = keras.Sequential(layers)
        self.optimizer = optimizer = keras.optimizers.Adam(0.01)
        self.mean = mean = keras.metrics.Mean()
        loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

        @tf.function(**options)  # type: ignore[untyped-decorator]
        def step(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = loss_of(y, model(x, training=True))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            mean.update_state(loss)
            if loss > 2.0:  # autograph has something to do
                loss = loss + 0.0
            return loss

        self.step = step

    def train(self, steps: int = 4) -> list[float]:
        """The losses of some steps of 8 examples."""
        import tensorflow as tf

        x, y = map(tf.constant, data())
        rows = [slice(8 * (i % 4), 8 * (i % 4) + 8) for i in range(steps)]
        return [float(self.step(x[row], y[row])) for row in rows]

    def variables(self) -> list[Any]:
        """All there are."""
        return [*self.model.variables, *self.optimizer.variables, *self.mean.variables]

    def values(self) -> list[Any]:
        """What they hold."""
        return [variable.numpy().tolist() for variable in self.variables()]

    def spread(self) -> int:
        """On how many devices they are."""
        return len({variable.value.device for variable in self.variables()})


def both(use: Callable[[Loop, bool], Any], **options: Any) -> Facts:
    """What `use` returns and leaves in the variables, unplaced and placed."""
    plain = Loop(**options)
    wanted = use(plain, False)
    loop = Loop(**options)
    plan = placed(loop.step)
    got = use(loop, True)
    found = plan.verify()
    return {
        "results": got == wanted, "weights": loop.values() == plain.values(), "ok": found.ok, "checked": found.checked,
        "ops": plan.report.ops, "bare": plan.report.without_device, "spread": loop.spread(), "words": plan.warnings,
    }  # fmt: skip
