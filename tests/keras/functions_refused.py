"""Functions whose plan is kept, and what goes wrong with functions: one line, and they run unplaced as ever."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from typing import Any
from unittest import mock

from tests.keras.cases import Facts, case, placed, refusals
from tests.keras.equal import DEVICES
from tests.keras.loop import Loop, data


@case
def kept_for_the_next_process() -> Facts:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PARDNN_CACHE_DIR"] = folder
        for options in ({}, {}, {"seed": 1}):
            import keras

            keras.utils.clear_session()
            loop = Loop()
            plan = placed(loop.step, cache=True, **options)
            loop.train(1)
            found.append((plan.from_cache, plan.verify().ok))
        del os.environ["PARDNN_CACHE_DIR"]
    return {"found": found}


@case
def refused() -> Facts:
    """The one line of each error, and whether the function then runs as an untouched one."""
    import tensorflow as tf

    from pardnn.errors import PardnnError

    told: Facts = {}
    wanted = Loop().train()

    def attempt(name: str, use: Callable[[Loop], Any]) -> None:
        loop = Loop()
        words = ["no error", 0]
        try:
            use(loop)
        except PardnnError as error:
            words = [str(error), error.exit_code]
        tf.config.run_functions_eagerly(False)
        told[name] = [*words, loop.train() == wanted and "_call" not in vars(loop.step)]

    def eagerly(loop: Loop) -> None:
        tf.config.run_functions_eagerly(True)
        placed(loop.step)

    def within(loop: Loop) -> None:
        step = loop.step
        placed(step, mem="2kB")

        @tf.function  # type: ignore[untyped-decorator]
        def outer(x: Any, y: Any) -> Any:
            return step(x, y)

        outer(*map(tf.constant, data()))

    def distributed(_: Loop) -> None:
        strategy = tf.distribute.MirroredStrategy(["CPU:0"])
        double = tf.function(lambda x: 2 * x)
        placed(double)
        strategy.run(double, args=(tf.constant(1.0),))

    def unbound(_: Loop) -> None:
        class Trainer:
            @tf.function  # type: ignore[untyped-decorator]
            def step(self) -> Any:
                return tf.constant(1)

        placed(Trainer.step)

    def concrete_of(loop: Loop) -> None:
        x, y = map(tf.constant, data())
        placed(loop.step.get_concrete_function(x, y), mem="2kB")

    attempt("no fit", lambda loop: (placed(loop.step, mem=600), loop.train()))
    attempt("no fit within", within)
    attempt("no fit concrete", concrete_of)
    attempt("eager", eagerly)
    attempt("distributed", distributed)
    attempt("unbound", unbound)
    attempt("targets", lambda loop: placed(loop.step, targets=["x"]))
    attempt("plain", lambda loop: placed(loop.train))
    attempt("same device", lambda loop: placed(loop.step, devices=[DEVICES[0], *DEVICES[:3]]))
    attempt("no gpus", lambda loop: placed(loop.step, gpus=0, devices=None))
    attempt("no function", lambda loop: placed(loop.optimizer))
    loop = Loop()
    plan = placed(loop.step)
    late = {"twice": lambda: placed(loop.step), "early": lambda: plan.makespan_us, "unverified": plan.verify}
    return told | refusals(late)


@case
def eager_later() -> Facts:
    """A function placed, then run op by op for debugging, then placed again."""
    import tensorflow as tf

    plain, loop = Loop(), Loop()
    plan = placed(loop.step)
    results = []
    for one in (plain, loop):
        tf.config.run_functions_eagerly(True)
        first = one.train(2)
        tf.config.run_functions_eagerly(False)
        results.append(first + one.train(2))
    return {"equal": results[0] == results[1], "ok": plan.verify().ok, "words": sorted(set(plan.warnings))}


@case
def interrupted() -> Facts:
    """Ctrl-C while the plan is made: the next call plans again."""
    plain, loop = Loop(), Loop()
    plan = placed(loop.step)
    with mock.patch("pardnn.live.steps.solve", side_effect=KeyboardInterrupt):
        try:
            loop.train(1)
            stopped = False
        except KeyboardInterrupt:
            stopped = True
    return {"stopped": stopped, "equal": loop.train() == plain.train(), "ok": plan.verify().ok}
