"""Functions placed in all the ways they are written and called: the same numbers, every op on its device."""

from __future__ import annotations

from typing import Any

from tests.keras.cases import Facts, case, placed
from tests.keras.loop import Loop, both, data


@case
def training_loop() -> Facts:
    def use(loop: Loop, _: bool) -> Any:
        import tensorflow as tf

        x, y = map(tf.constant, data())
        first = loop.train()
        return first, float(loop.step(x, y)), loop.train()  # another shape: traced again

    return both(use)


@case
def open_batch_and_signature() -> Facts:
    import tensorflow as tf

    def use(loop: Loop, _: bool) -> Any:
        x, y = map(tf.constant, data())
        return loop.train(), float(loop.step(x[:20], y[:20]))

    return both(use, input_signature=[tf.TensorSpec((None, 6)), tf.TensorSpec((None,), tf.int64)])


@case
def compiled() -> Facts:
    """XLA runs the unplaced one otherwise, so only the placed one is looked at."""
    plain, loop = Loop(), Loop(jit_compile=True)
    plan = placed(loop.step)
    equal = loop.train() == plain.train()
    ok = plan.verify().ok
    plan.remove()
    return {"equal": equal, "ok": ok, "words": plan.warnings, "back": loop.step._jit_compile}


@case
def inside_another() -> Facts:
    """The step is called in a loop that is itself in a function."""

    def use(loop: Loop, _: bool) -> Any:
        import tensorflow as tf

        step = loop.step

        @tf.function  # type: ignore[untyped-decorator]
        def epoch(x: Any, y: Any) -> Any:
            total = tf.constant(0.0)
            for i in tf.range(4):
                total += step(x[8 * i : 8 * i + 8], y[8 * i : 8 * i + 8])
            return total

        return [float(epoch(*map(tf.constant, data()))) for _ in range(3)]

    return both(use)


@case
def over_a_dataset() -> Facts:
    """TensorFlow does not tell where the ops of such a loop run, only of a call outside."""
    import tensorflow as tf

    from pardnn.errors import InputError

    def run(place: bool) -> Any:
        loop = Loop()
        step = loop.step
        plan = placed(step) if place else None

        @tf.function  # type: ignore[untyped-decorator]
        def epoch(batches: Any) -> Any:
            total = tf.constant(0.0)
            for x, y in batches:
                total += step(x, y)
            return total

        batches = tf.data.Dataset.from_tensor_slices(data()).batch(8, drop_remainder=True)
        losses = [float(epoch(batches)) for _ in range(3)]
        words = ""
        if plan is not None:
            try:
                plan.verify()
            except InputError as error:
                words = str(error)
        return losses + loop.train(), loop, plan, words

    (wanted, plain, *_), (got, loop, plan, words) = run(False), run(True)
    found = plan.verify()
    return {
        "equal": wanted == got and plain.values() == loop.values(), "ok": found.ok, "checked": found.checked,
        "spread": loop.spread(), "told": words, "words": plan.warnings,
    }  # fmt: skip


@case
def calls_another() -> Facts:
    """The step calls functions of its own, one of them twice."""
    import tensorflow as tf

    def run(place: bool) -> Any:
        w, b = tf.Variable(tf.ones((6, 3)) / 7), tf.Variable(tf.zeros(3))

        @tf.function  # type: ignore[untyped-decorator]
        def layer(x: Any) -> Any:
            return tf.tanh(x @ w + b)

        @tf.function  # type: ignore[untyped-decorator]
        def loss_of(x: Any, y: Any) -> Any:
            return tf.reduce_mean((layer(x) - tf.one_hot(y, 3)) ** 2) + tf.reduce_mean(layer(-x) ** 2)

        @tf.function  # type: ignore[untyped-decorator]
        def step(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = loss_of(x, y)
            for variable, slope in zip((w, b), tape.gradient(loss, (w, b)), strict=True):
                variable.assign_sub(0.1 * slope)
            return loss

        plan = placed(step) if place else None
        losses = [float(step(*map(tf.constant, data()))) for _ in range(3)]
        return (losses, w.numpy().tolist(), b.numpy().tolist()), plan

    (wanted, _), (got, plan) = run(False), run(True)
    found = plan.verify()
    return {"equal": wanted == got, "ok": found.ok, "checked": found.checked, "moved": plan.report.variables_moved}


@case
def of_an_object() -> Facts:
    """A method, whose variables are made in its first call."""
    import tensorflow as tf

    class Trainer(tf.Module):  # type: ignore[misc] # tensorflow has no types
        def __init__(self) -> None:
            super().__init__()
            self.w: Any = None

        @tf.function  # type: ignore[untyped-decorator]
        def step(self, x: Any) -> Any:
            if self.w is None:
                self.w = tf.Variable(tf.ones((6, 2)) / 3, name="w")
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x @ self.w - 1.0) ** 2)
            self.w.assign_sub(0.1 * tape.gradient(loss, self.w))
            return loss

    def run(place: bool) -> Any:
        trainer = Trainer()
        plan = placed(trainer.step) if place else None
        losses = [float(trainer.step(tf.constant(data()[0]))) for _ in range(3)]
        return (losses, trainer.w.numpy().tolist()), plan, trainer

    (wanted, _, other), (got, plan, trainer) = run(False), run(True)
    found = plan.verify()
    fresh = Trainer()
    fresh.step(tf.constant(data()[0]))
    return {
        "equal": wanted == got, "ok": found.ok, "checked": found.checked,
        "others": "_call" in vars(other.step) or "_call" in vars(fresh.step), "own": "_call" in vars(trainer.step),
    }  # fmt: skip
