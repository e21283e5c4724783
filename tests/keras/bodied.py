"""Layers with functions in functions, trained as they are and placed: `python -m tests.keras.bodied` prints JSON lines.

Every layer has two weights that it uses inside a branch, a loop or a function of its own.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any

from tests.keras.cases import placed, weights
from tests.keras.equal import four_cpus

Body = Callable[[Any, Any, Any], Any]
"""From the layer's input and its two weights, small squares, to its output."""
BODIES: dict[str, Body] = {}


def body(function: Body) -> Body:
    """Add one to those that run."""
    BODIES[function.__name__] = function
    return function


@body
def branch(x: Any, a: Any, b: Any) -> Any:
    """Taken now and then, with effects and a gradient."""
    import tensorflow as tf

    return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.matmul(tf.tanh(tf.matmul(x, a)), b), lambda: tf.matmul(x, b))


@body
def case(x: Any, a: Any, b: Any) -> Any:
    """One of three."""
    import tensorflow as tf

    which = tf.cast(tf.reduce_sum(x) * 100.0, tf.int32) % 3
    return tf.switch_case(which, [lambda: tf.matmul(x, a), lambda: tf.matmul(tf.matmul(x, a), b), lambda: tf.sin(x)])


@body
def branches_in_branches(x: Any, a: Any, b: Any) -> Any:
    """And calls, and a loop."""
    import tensorflow as tf

    @tf.function  # type: ignore[untyped-decorator]
    def twice(t: Any) -> Any:
        return tf.cond(t[0, 0] > 0, lambda: tf.matmul(t, a), lambda: tf.matmul(t, b) + tf.matmul(t, a))

    def turns(t: Any) -> Any:
        return tf.while_loop(lambda i, _: i < 3, lambda i, s: (i + 1, tf.tanh(tf.matmul(s, b))), [0, t])[1]

    return tf.cond(tf.reduce_sum(x) > 0, lambda: turns(twice(x)), lambda: twice(twice(x)))


@body
def loop(x: Any, a: Any, b: Any) -> Any:
    """Over both weights, with results kept in a TensorArray."""
    import tensorflow as tf

    def turn(i: Any, state: Any, kept: Any) -> Any:
        state = tf.tanh(tf.matmul(tf.matmul(state, a), b))
        return i + 1, state, kept.write(i, state)

    _, _, kept = tf.while_loop(lambda i, *_: i < 3, turn, [0, x, tf.TensorArray(tf.float32, 3)])
    return tf.reduce_sum(kept.stack(), axis=0)


@body
def branch_in_a_loop(x: Any, a: Any, b: Any) -> Any:
    """A branch that stays with its loop."""
    import tensorflow as tf

    def turn(i: Any, t: Any) -> Any:
        return i + 1, tf.cond(i % 2 == 0, lambda: tf.tanh(tf.matmul(t, a)), lambda: tf.tanh(tf.matmul(t, b)))

    return tf.while_loop(lambda i, _: i < 4, turn, [0, x])[1]


@body
def own_gradient(x: Any, a: Any, b: Any) -> Any:
    """Of a function with weights."""
    import tensorflow as tf

    @tf.custom_gradient  # type: ignore[untyped-decorator]
    def product(t: Any, left: Any, right: Any) -> Any:
        def back(g: Any) -> Any:
            return tf.clip_by_value(g, -0.1, 0.1), tf.matmul(t, g, transpose_a=True), 0.5 * right

        return tf.matmul(tf.matmul(t, left), right), back

    return product(x, tf.convert_to_tensor(a), tf.convert_to_tensor(b))


@body
def recomputed(x: Any, a: Any, b: Any) -> Any:
    """Computed once more on the way back."""
    import tensorflow as tf

    return tf.recompute_grad(lambda t: tf.matmul(tf.tanh(tf.matmul(t, a)), b))(x)


@body
def compiled(x: Any, a: Any, b: Any) -> Any:
    """By XLA, as one op on one device with both weights."""
    import tensorflow as tf

    @tf.function(jit_compile=True)  # type: ignore[untyped-decorator]
    def fused(t: Any) -> Any:
        return tf.matmul(tf.tanh(tf.matmul(t, a)), b)

    return fused(x)


@body
def scaled(x: Any, a: Any, b: Any) -> Any:
    """Nothing of note: here it is the optimizer that branches."""
    import tensorflow as tf

    return tf.matmul(tf.tanh(tf.matmul(x, a)), b)


def made(function: Body) -> Any:
    """(model, x, y) with the body in the middle."""
    import keras
    from keras import layers

    from tests.keras.parts import classifier, draw, labels

    class Middle(layers.Layer):  # type: ignore[misc] # keras has no types
        def build(self, _: Any) -> None:
            self.a = self.add_weight(shape=(8, 8), name="a")
            self.b = self.add_weight(shape=(8, 8), name="b")

        def call(self, x: Any) -> Any:
            return function(x, self.a.value, self.b.value)

        def compute_output_shape(self, shape: Any) -> Any:
            return shape

    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((8,)), layers.Dense(8), Middle(), layers.Dense(3)])
    optimizer = keras.optimizers.Adam(0.01)
    if function is scaled:
        optimizer = keras.optimizers.LossScaleOptimizer(optimizer, dynamic_growth_steps=3)
    return classifier(model, optimizer), draw(8), labels(3)


def trained(function: Body, place: bool) -> tuple[Any, Any, Any, Any]:
    """(losses, predictions, weights, plan) of two epochs."""
    model, x, y = made(function)
    plan = placed(model) if place else None
    losses = model.fit(x, y, batch_size=8, epochs=2, verbose=0).history["loss"]
    return losses, model.predict(x, verbose=0).tolist(), weights(model), plan


def main() -> None:
    """Answer on stdout."""
    four_cpus()
    logging.getLogger("pardnn").setLevel(logging.ERROR)
    for name, function in BODIES.items():
        losses, predicted, values, _ = trained(function, place=False)
        placed_losses, placed_predicted, placed_values, plan = trained(function, place=True)
        found = plan.verify()
        subject = plan.plan.subject
        kinds = dict(zip(subject.names, subject.ops, strict=True))
        where = plan.placement
        answer = {
            "losses": losses, "placed_losses": placed_losses, "predicted": placed_predicted == predicted,
            "weights": placed_values == values, "ok": found.ok, "checked": found.checked, "gone": found.gone,
            "moved": dict(found.moved), "bare": list(found.without_device), "ops": plan.report.ops,
            "bodies": sorted({where[op] for op in subject.homes}), "in_bodies": len(subject.homes),
            "variables": sorted({device for op, device in where.items() if kinds[op] == "VarHandleOp"}),
            "layer": sorted({where[op] for op in where if kinds[op] == "VarHandleOp" and "/middle_" in op}),
            "words": plan.warnings,
        }  # fmt: skip
        print(json.dumps([name, answer]), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main()
