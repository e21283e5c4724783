"""The plan of a model: refused in one line, kept for the next process, its figures."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from tests.keras.cases import Facts, case, fresh, placed, refusals, weights
from tests.keras.equal import DEVICES


@case
def refused() -> Facts:
    """The one line of each error, and whether the model then trains."""
    import keras
    import tensorflow as tf

    import pardnn
    from pardnn.errors import PardnnError

    told: Facts = {}

    def attempt(name: str, use: Callable[[Any, Any, Any], Any], eager: bool = False) -> None:
        model, x, y = fresh()
        if eager:
            model.compile("sgd", "sparse_categorical_crossentropy", run_eagerly=True)
        try:
            use(model, x, y)
            told[name] = ["no error", 0, False]
        except PardnnError as error:
            clean = not {"fit", "make_train_function"} & set(vars(model))
            model.fit(x, y, batch_size=8, verbose=0)
            told[name] = [str(error), error.exit_code, clean]

    def fitted(**options: Any) -> Callable[[Any, Any, Any], Any]:
        def use(model: Any, x: Any, y: Any) -> None:
            placed(model, **options)
            model.fit(x, y, batch_size=8, verbose=0)

        return use

    def larger(model: Any, x: Any, y: Any) -> None:
        """A batch that fits, then one that does not."""
        import numpy as np

        placed(model, mem="120kB")
        model.fit(x, y, batch_size=4, verbose=0)
        model.fit(np.repeat(x, 100, axis=0), np.repeat(y, 100), batch_size=4000, verbose=0)

    def eager_later(model: Any, x: Any, y: Any) -> None:
        placed(model)
        model.compile("sgd", "sparse_categorical_crossentropy", run_eagerly=True)
        model.fit(x, y, batch_size=8, verbose=0)

    attempt("eager", lambda model, x, y: placed(model), eager=True)
    attempt("eager later", eager_later)
    attempt("no gpu", lambda model, x, y: pardnn.place(model, gpus=4, mem="1GB"))
    attempt("no device", lambda model, x, y: placed(model, devices=[*DEVICES[:3], "CPU:7"]))
    attempt("count", lambda model, x, y: placed(model, devices=DEVICES[:3]))
    attempt("no name", lambda model, x, y: placed(model, devices=[*DEVICES[:3], "fast"]))
    attempt("option", lambda model, x, y: placed(model, methd="heft"))
    attempt("method", lambda model, x, y: placed(model, method="best of all"))
    attempt("no fit", fitted(mem="2kB"))
    attempt("no fit later", larger)
    attempt("no model", lambda model, x, y: placed("model"))
    with mock.patch("keras.backend.backend", return_value="jax"):  # no other backend is installed with TensorFlow
        attempt("backend", lambda model, x, y: placed(model))
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        mirrored = keras.Sequential([keras.layers.Dense(1)])
    attempt("strategy", lambda model, x, y: placed(mirrored))
    model, _, _ = fresh()
    plan = placed(model)
    return told | refusals({"twice": lambda: placed(model), "early": lambda: plan.makespan_us})


@case
def kept_for_the_next_process() -> Facts:
    """The plan comes back for the same model and the same question only."""
    import keras

    found = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PARDNN_CACHE_DIR"] = folder
        for options in ({}, {}, {"seed": 1}, {"mem": "2GB"}, {"cache": False}):
            keras.utils.clear_session()  # names are counted anew, as in the next process
            model, x, y = fresh("two_in_two_out")
            plan = placed(model, **{"cache": True, "method": "auto", "effort": "fast"} | options)
            model.fit(x, y, batch_size=8, verbose=0)
            found.append((plan.from_cache, plan.verify().ok, plan.makespan_us, sorted(plan.placement.values())))
        kept = len(list(Path(folder, "plans").iterdir()))
        del os.environ["PARDNN_CACHE_DIR"]
    return {"found": [f[0] for f in found], "ok": all(f[1] for f in found), "same": found[0][2:] == found[1][2:],
            "kept": kept}  # fmt: skip


@case
def partitioned() -> Facts:
    """A model as the graph of `pardnn.partition`; it trains on as it was."""
    import pardnn

    results = []
    for plan in (False, True):
        model, x, y = fresh()
        if plan:
            found = pardnn.partition(model, gpus=2, mem="1GB", method="round-robin", batch_size=8)
        model.fit(x, y, batch_size=8, verbose=0)
        results.append(weights(model))
    coverage = found.result()["coverage"]
    return {
        "equal": results[0] == results[1], "ops": len(found.placement), "pruned": coverage["pruned"],
        "unknown": coverage["unknown_shape"], "devices": sorted(set(found.placement.values())),
    }  # fmt: skip


@case
def figures() -> Facts:
    """What a plan tells once it is filled."""
    model, x, y = fresh()
    plan = placed(model, method="auto", effort="fast")
    model.fit(x, y, batch_size=8, verbose=0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "cnn.placement.json"
        plan.save(str(path))
        stored = json.loads(path.read_text())
    return {
        "makespan": plan.makespan_us, "bound": plan.lower_bound_us, "peaks": plan.peak_bytes,
        "report": str(plan.report), "summary": plan.summary(),
        "stored": len(stored["placement"]), "ops": plan.report.ops,
    }  # fmt: skip
