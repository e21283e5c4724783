"""What goes wrong around a placed model, told in one line, and what does not: `python -m tests.keras.refused`.

Every case says what was told and whether the model then trains with the numbers of one that nobody touched.
"""

from __future__ import annotations

import copy
import pickle
import sys
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest import mock

from tests.keras.cases import Facts, answer, case, fresh, placed, weights
from tests.keras.equal import DEVICES


def fitted(model: Any, x: Any, y: Any) -> Any:
    """The losses and weights of an epoch."""
    return model.fit(x, y, batch_size=8, verbose=0).history["loss"], weights(model)


def untouched(name: str = "cnn") -> Any:
    """Those of a model as it is."""
    return fitted(*fresh(name))


def told(use: Callable[[], Any]) -> str:
    """The words of an error of ours."""
    from pardnn.errors import PardnnError

    try:
        use()
    except PardnnError as error:
        return str(error)
    return ""


@case
def not_built() -> Facts:
    """A model without an input shape is built by the first batch."""
    import keras

    def made() -> Any:
        keras.utils.set_random_seed(1)
        model = keras.Sequential([keras.layers.Dense(5, "relu"), keras.layers.Dense(4)])
        model.compile("adam", "mse")
        return model

    _, x, _ = fresh()
    x = x.reshape(len(x), -1)
    y = x[:, :4]
    want = fitted(made(), x, y)
    model = made()
    plan = placed(model)
    return {"equal": fitted(model, x, y) == want, "ok": plan.verify().ok}


@case
def not_compiled() -> Facts:
    """It is Keras that says so; compiled then, the model is placed."""
    import keras

    model, x, y = fresh()
    bare = keras.Sequential(model.layers)
    plan = placed(bare)
    try:
        bare.fit(x, y, verbose=0)
        words = ""
    except ValueError as error:
        words = str(error)
    bare.compile("adam", "sparse_categorical_crossentropy")
    bare.fit(x, y, batch_size=8, verbose=0)
    return {"words": words, "ok": plan.verify().ok}


@case
def options() -> Facts:
    """Wrong options; the model is never touched."""
    model, x, y = fresh()
    asked: dict[str, Facts] = {
        "same device": {"devices": [DEVICES[0], *DEVICES[:3]]},
        "no gpus": {"gpus": 0, "devices": None},
        "memory": {"mem": "much"},
        "method": {"method": 3},
        "machine": {"machine": "none"},
        "pins": {"pin": "/nowhere"},
        "batch": {"batch_size": 0},
        "fraction": {"mem_fraction": 2},
        "costs": {"costs": "guessed"},
        "targets": {"targets": ["loss"]},
    }
    words = {name: told(partial(placed, model, **given)) for name, given in asked.items()}
    return {"words": words, "equal": fitted(model, x, y) == untouched(), "clean": "fit" not in vars(model)}


@case
def too_large() -> Facts:
    """An op that no card holds, and a model that no number of such cards does; both told by the first step."""
    words, equal = {}, []
    cards: dict[str, Facts] = {"op": {"mem": "2kB"}, "model": {"gpus": 1, "devices": DEVICES[:1], "mem": "30kB"}}
    for name, asked in cards.items():
        model, x, y = fresh()
        placed(model, **asked)
        words[name] = told(partial(fitted, model, x, y))
        equal.append(fitted(model, x, y) == untouched())
    return {"words": words, "equal": all(equal)}


@case
def eager_after() -> Facts:
    """run_eagerly turned on after placing, and off again: unplaced then, and placed once more."""
    model, x, y = fresh()
    placed(model)
    model.run_eagerly = True
    words = told(lambda: model.fit(x, y, batch_size=8, verbose=0))
    model.run_eagerly = False
    plan = placed(model)
    return {"words": words, "equal": fitted(model, x, y) == untouched(), "ok": plan.verify().ok}


@case
def removed_twice() -> Facts:
    """A plan that is gone does not touch what a later one does."""
    model, x, y = fresh()
    first = placed(model)
    first.remove()
    first.remove()
    second = placed(model)
    first.remove()
    equal = fitted(model, x, y) == untouched()
    return {"equal": equal, "ok": second.verify().ok, "spread": len({v.value.device for v in model.variables})}


@case
def copied() -> Facts:
    """A clone, a copy and what comes back from pickling are models of their own, unplaced."""
    import keras

    facts: Facts = {}
    makers: dict[str, Callable[[Any], Any]] = {
        "clone": keras.models.clone_model, "deepcopy": copy.deepcopy, "pickle": lambda m: pickle.loads(pickle.dumps(m)),
    }  # fmt: skip
    for trained in (False, True):
        for name, make in makers.items():
            answers = []
            for place in (False, True):
                model, x, y = fresh("dense")
                plan = placed(model) if place else None
                if trained:
                    fitted(model, x, y)
                other = make(model)
                other.set_weights(model.get_weights())
                other.compile("sgd", "sparse_categorical_crossentropy")
                answers.append([fitted(other, x, y), fitted(model, x, y)])
                if plan is not None:
                    facts.setdefault("placed", []).append("make_train_function" in vars(other))
                    facts.setdefault("ok", []).append(plan.verify().ok)
            facts[f"{name} {'after' if trained else 'before'}"] = answers[0] == answers[1]
    return facts | {"placed": any(facts["placed"]), "ok": all(facts["ok"])}


@case
def within_another() -> Facts:
    """A model and a model in it, and two models with a layer in common, each placed and trained in turn."""
    import keras

    def made() -> Any:
        keras.utils.set_random_seed(1)
        inner = keras.Sequential([keras.Input((6,)), keras.layers.Dense(6, "relu"), keras.layers.Dense(6)])
        inner.compile("sgd", "mse")
        outer = keras.Sequential([keras.Input((6,)), inner, keras.layers.Dense(6)])
        outer.compile("adam", "mse")
        other = keras.Sequential([keras.Input((6,)), inner.layers[0], keras.layers.Dense(3)])
        other.compile("adam", "mse")
        return inner, outer, other

    import numpy as np

    x = np.random.RandomState(0).rand(32, 6).astype("float32")

    def run(place: bool) -> Any:
        models = made()
        plans = [placed(model) for model in models] if place else []
        losses = []
        for _ in range(2):
            for model, size in zip(models, (6, 6, 3), strict=True):
                losses += model.fit(x, x[:, :size], batch_size=8, verbose=0).history["loss"]
        ok = [plan.verify().ok for plan in plans]
        values = [weights(model) for model in models]
        for plan in plans:
            plan.remove()
        home = {v.value.device for model in models for v in model.variables}
        for model, size in zip(models, (6, 6, 3), strict=True):
            losses += model.fit(x, x[:, :size], batch_size=8, verbose=0).history["loss"]
        return losses, values, ok, len(home)

    wanted, got = run(False), run(True)
    return {"losses": wanted[0] == got[0], "weights": wanted[1] == got[1], "ok": got[2], "home": got[3]}


@case
def interrupted() -> Facts:
    """Ctrl-C while the plan is made: the model is as it was, and the next fit plans again."""
    model, x, y = fresh()
    before = weights(model)
    plan = placed(model)
    with mock.patch("pardnn.live.steps.solve", side_effect=KeyboardInterrupt):
        try:
            model.fit(x, y, batch_size=8, verbose=0)
            stopped = False
        except KeyboardInterrupt:
            stopped = True
    same = weights(model)[: len(before)] == before
    home = len({v.value.device for v in model.variables})
    want = untouched()
    return {
        "stopped": stopped, "same": same, "home": home, "equal": fitted(model, x, y) == want, "ok": plan.verify().ok,
    }  # fmt: skip


@case
def recompiled() -> Facts:
    """Compiled anew with another optimizer between two fits: placed again, its own slots too."""

    def run(place: bool) -> Any:
        model, x, y = fresh()
        plan = placed(model) if place else None
        results = [fitted(model, x, y)]
        model.compile("rmsprop", "sparse_categorical_crossentropy", metrics=["accuracy"])
        results.append(fitted(model, x, y))
        spread = len({v.value.device for v in model.optimizer.variables})
        return results, spread, plan

    (wanted, *_), (got, spread, plan) = run(False), run(True)
    return {"equal": wanted == got, "spread": spread, "ok": plan.verify().ok, "bare": plan.report.without_device}


@case
def kinds() -> Facts:
    """What is no model, function or graph."""
    import keras
    import tensorflow as tf

    things: Facts = {
        "None": None, "text": "model.keras", "layer": keras.layers.Dense(1), "optimizer": keras.optimizers.Adam(),
        "class": keras.Model, "routine": fresh, "module": tf.Module(), "plan": placed(fresh()[0]),
    }  # fmt: skip
    return {name: told(partial(placed, thing)) for name, thing in things.items()}


if __name__ == "__main__":
    answer(sys.argv[1:])
