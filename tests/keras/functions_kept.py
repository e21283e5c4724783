"""Functions that were called before, are traced already, copied, differentiated, or share their variables."""

from __future__ import annotations

import copy
from typing import Any

from tests.keras.cases import Facts, case, placed
from tests.keras.loop import Loop, data


@case
def placed_after_a_call() -> Facts:
    def use(loop: Loop, place: bool) -> Any:
        return loop.train()

    plain, loop = Loop(), Loop()
    first = plain.train(), loop.train()
    plan = placed(loop.step)
    second = plain.train(), loop.train()
    return {
        "equal": first[0] == first[1] and second[0] == second[1] and plain.values() == loop.values(),
        "ok": plan.verify().ok, "spread": loop.spread(),
    }  # fmt: skip


@case
def removed() -> Facts:
    """The function is its own again, in the middle of a training and before the first call."""
    plain, loop = Loop(), Loop()
    names = set(vars(loop.step))
    code = loop.step.python_function
    plan = placed(loop.step)
    plan.remove()
    plan = placed(loop.step)
    losses = loop.train()
    spread = loop.spread()
    plan.remove()
    plan.remove()
    home = loop.spread()
    losses += loop.train()
    return {
        "equal": losses == plain.train() + plain.train() and plain.values() == loop.values(), "spread": spread,
        "home": home, "left": sorted(set(vars(loop.step)) - names), "code": loop.step.python_function is code,
    }  # fmt: skip


@case
def shared_variables() -> Facts:
    """Two steps over the same weights, as a GAN has them: the second plan leaves them where the first put them."""
    import tensorflow as tf

    def run(place: bool) -> Any:
        weights = [tf.Variable(tf.ones((6, 6)) / (3 + i)) for i in range(4)]

        def made(sign: float) -> Any:
            @tf.function  # type: ignore[untyped-decorator]
            def step(x: Any) -> Any:
                with tf.GradientTape() as tape:
                    for w in weights:
                        x = tf.tanh(x @ w)
                    loss = sign * tf.reduce_mean(x**2)
                for w, slope in zip(weights, tape.gradient(loss, weights), strict=True):
                    w.assign_sub(0.1 * slope)
                return loss

            return step

        steps = made(1.0), made(-0.5)
        plans = [placed(step) for step in steps] if place else []
        x = tf.constant(data()[0])
        losses = [float(step(x)) for _ in range(3) for step in steps]
        devices = [w.device for w in weights]
        ok = [plan.verify().ok for plan in plans]
        again = [plan.plan.placement for plan in plans]
        if plans:
            plans[0].remove()
            kept = [w.device for w in weights] == devices
            plans[1].remove()
            ok += [kept, len({w.device for w in weights}) == 1]
        return losses + [float(step(x)) for step in steps], [w.numpy().tolist() for w in weights], devices, ok, again

    wanted, got = run(False), run(True)
    return {"equal": wanted[:2] == got[:2], "spread": len(set(got[2])), "ok": got[3]}


@case
def concrete() -> Facts:
    """A function that is traced already: placed at once, and its caller's as well."""
    import tensorflow as tf

    def run(place: bool) -> Any:
        loop = Loop()
        x, y = map(tf.constant, data())
        one = loop.step.get_concrete_function(x[:8], y[:8])
        plan = placed(one) if place else None
        losses = [float(one(x[:8], y[:8])) for _ in range(3)] + loop.train()
        facts: tuple[Any, ...] = ()
        if plan is not None:
            facts = plan.verify(), plan.report, loop.spread(), plan
            plan.remove()
            facts += loop.spread(), {op.device for op in one.graph.get_operations()}
        losses.append(float(one(x[:8], y[:8])))
        return (losses, loop.values()), facts

    (wanted, _), (got, facts) = run(False), run(True)
    return {
        "equal": wanted == got, "ok": facts[0].ok, "checked": facts[0].checked, "ops": facts[1].ops,
        "bare": facts[1].without_device, "spread": facts[2], "home": facts[4], "left": sorted(facts[5]),
        "words": facts[3].warnings,
    }  # fmt: skip


@case
def differentiated() -> Facts:
    """A placed forward pass whose gradient is taken outside, by function and by ConcreteFunction."""
    import tensorflow as tf

    def run(place: bool, traced: bool) -> Any:
        w = tf.Variable(tf.ones((6, 3)) / 3)
        forward = tf.function(lambda x: tf.reduce_mean(tf.tanh(tf.tanh(x @ w) @ tf.transpose(w)) ** 2))
        x = tf.constant(data()[0])
        called = forward.get_concrete_function(x) if traced else forward
        if place:
            placed(called)
        for _ in range(3):
            with tf.GradientTape() as tape:
                loss = called(x)
            w.assign_sub(0.1 * tape.gradient(loss, w))
        return w.numpy().tolist()

    return {name: run(False, traced) == run(True, traced) for name, traced in (("function", False), ("concrete", True))}


@case
def copied() -> Facts:
    """A copy of an object trains itself, not the original."""
    import tensorflow as tf

    class Trainer(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(tf.ones((6, 2)))
            self.step = tf.function(self.run)

        def run(self, x: Any) -> Any:
            self.w.assign_sub(0.1 * tf.ones((6, 2)))
            return tf.reduce_sum(x @ self.w)

    trainer = Trainer()
    placed(trainer.step)
    other = copy.deepcopy(trainer)  # later it cannot be copied, placed or not
    x = tf.constant(data()[0])
    other.step(x)
    other.step(x)
    trainer.step(x)
    return {
        "own": float(trainer.w[0, 0]), "others": float(other.w[0, 0]), "placed": "_call" in vars(other.step),
    }  # fmt: skip


@case
def iterators() -> Facts:
    """The batch size comes from the dataset behind an iterator, where the step leaves it open."""
    import tensorflow as tf

    def run(place: bool) -> Any:
        w = tf.Variable(tf.ones((6, 3)) / 3)

        @tf.function  # type: ignore[untyped-decorator]
        def step(source: Any) -> Any:
            x, _ = next(source)
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((x @ w) ** 2)
            w.assign_sub(0.1 * tape.gradient(loss, w))
            return loss

        plan = placed(step) if place else None
        source = iter(tf.data.Dataset.from_tensor_slices(data()).batch(8).repeat())
        return [float(step(source)) for _ in range(5)] + w.numpy().tolist(), plan

    (wanted, _), (got, plan) = run(False), run(True)
    return {"equal": wanted == got, "ok": plan.verify().ok, "batch": plan.plan.options.batch_size}
