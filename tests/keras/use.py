"""What people do with a model around `fit`, placed: `python -m tests.keras.use` prints [case, facts] line by line.

Every case is a function that returns facts as JSON; they share one process, for TensorFlow is slow to start.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from tests.keras.equal import DEVICES, four_cpus

Facts = dict[str, Any]
CASES: dict[str, Callable[[], Facts]] = {}


def case(function: Callable[[], Facts]) -> Callable[[], Facts]:
    """Add a case to those that run."""
    CASES[function.__name__] = function
    return function


def fresh(name: str = "cnn") -> Any:
    """(model, x, y), the same weights each time."""
    import keras

    from tests.keras.networks import NETWORKS

    keras.utils.set_random_seed(1)
    return NETWORKS[name]()


def placed(model: Any, **options: Any) -> Any:
    """Its plan over the four devices, neighbours apart."""
    import pardnn

    chosen: Facts = {"gpus": 4, "mem": "1GB", "devices": DEVICES, "method": "round-robin", "cache": False}
    return pardnn.place(model, **chosen | options)


def weights(model: Any) -> Any:
    """All variables as lists."""
    return [v.numpy().tolist() for v in (*model.variables, *model.optimizer.variables)]


def both(use: Callable[[Any, Any, Any], Any], name: str = "cnn") -> Facts:
    """What `use` returns and leaves in the model without a placement and with one."""
    plain, x, y = fresh(name)
    wanted = use(plain, x, y)
    model, x, y = fresh(name)
    plan = placed(model)
    got = use(model, x, y)
    found = plan.verify()
    return {
        "results": got == wanted, "weights": weights(model) == weights(plain), "ok": found.ok, "checked": found.checked,
        "words": plan.warnings,
    }  # fmt: skip


@case
def validation_and_evaluate() -> Facts:
    def use(model: Any, x: Any, y: Any) -> Any:
        before = model.evaluate(x, y, verbose=0)
        history = model.fit(x, y, batch_size=8, epochs=2, verbose=0, validation_split=0.2).history
        return before, history, model.evaluate(x, y, verbose=0), model.predict(x, verbose=0).tolist()

    return both(use)


@case
def on_batches() -> Facts:
    def use(model: Any, x: Any, y: Any) -> Any:
        losses = [model.train_on_batch(x[i : i + 8], y[i : i + 8]) for i in (0, 8, 16)]
        return [float(v) for loss in losses for v in loss], [float(v) for v in model.test_on_batch(x, y)]

    return both(use)


@case
def several_steps_per_execution() -> Facts:
    def use(model: Any, x: Any, y: Any) -> Any:
        model.compile("adam", "sparse_categorical_crossentropy", steps_per_execution=2)
        return model.fit(x, y, batch_size=8, epochs=2, verbose=0).history

    return both(use, "dense")


@case
def datasets() -> Facts:
    def use(model: Any, x: Any, y: Any) -> Any:
        import tensorflow as tf

        data = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(40, seed=5).batch(8).prefetch(2)
        whole = tf.data.Dataset.from_tensor_slices((x, y)).batch(10, drop_remainder=True)
        return model.fit(data, epochs=2, verbose=0).history, model.fit(whole, verbose=0).history

    return both(use)


@case
def generators() -> Facts:
    def use(model: Any, x: Any, y: Any) -> Any:
        def batches() -> Any:
            while True:
                yield from ((x[i : i + 10], y[i : i + 10]) for i in range(0, 40, 10))

        return model.fit(batches(), steps_per_epoch=4, epochs=2, verbose=0).history

    return both(use)


@case
def callbacks_and_weights() -> Facts:
    def use(model: Any, x: Any, y: Any) -> Any:
        import keras

        class Batches(keras.utils.PyDataset):  # type: ignore[misc] # keras has no types
            def __len__(self) -> int:
                return 4

            def __getitem__(self, i: int) -> Any:
                return x[10 * i : 10 * i + 10], y[10 * i : 10 * i + 10]

        with tempfile.TemporaryDirectory() as folder:
            callbacks = [
                keras.callbacks.BackupAndRestore(f"{folder}/backup"),
                keras.callbacks.ModelCheckpoint(f"{folder}/best.keras", monitor="loss", save_best_only=True),
                keras.callbacks.ReduceLROnPlateau(monitor="loss", patience=1),
                keras.callbacks.EarlyStopping(monitor="loss", patience=3, restore_best_weights=True),
            ]
            weight = {0: 1.0, 1: 2.0, 2: 0.5, 3: 1.0}
            first = model.fit(x, y, epochs=3, verbose=0, callbacks=callbacks, class_weight=weight).history
            best = keras.models.load_model(f"{folder}/best.keras").predict(x, verbose=0).tolist()
        return first["loss"], best, model.fit(Batches(), verbose=0).history

    return both(use)


@case
def compiled_after() -> Facts:
    def use(model: Any, x: Any, y: Any) -> Any:
        model.compile("sgd", "sparse_categorical_crossentropy")
        first = model.fit(x, y, batch_size=8, verbose=0).history
        model.compile("adam", "sparse_categorical_crossentropy")
        return first, model.fit(x, y, batch_size=8, verbose=0).history

    return both(use)


@case
def placed_after_a_fit() -> Facts:
    results = []
    for place in (False, True):
        model, x, y = fresh()
        model.fit(x, y, batch_size=8, verbose=0)
        before = model.evaluate(x, y, verbose=0), model.predict(x, verbose=0).tolist()
        plan = placed(model) if place else None
        model.fit(x, y, batch_size=8, verbose=0)
        after = model.evaluate(x, y, verbose=0), model.predict(x, verbose=0).tolist()
        results.append([before, after, weights(model)])
    assert plan is not None
    return {"equal": results[0] == results[1], "changed": before != after, "ok": plan.verify().ok}


@case
def functions_traced_before() -> Facts:
    """A tf.function of the user's that was traced before the variables moved reads what they hold now."""
    import numpy as np
    import tensorflow as tf

    model, x, y = fresh("own_train_step")
    model(x)
    serve = tf.function(model)
    first = serve(x).numpy()
    plan = placed(model)
    model.fit(x, y, batch_size=8, epochs=2, verbose=0)
    moved = plan.report.variables_moved
    return {
        "moved": moved, "changed": not np.array_equal(first, serve(x)), "equal": np.array_equal(model(x), serve(x)),
    }  # fmt: skip


@case
def removed() -> Facts:
    results = []
    for place in (False, True):
        model, x, y = fresh()
        names = set(vars(model))
        if place:
            plan = placed(model)
        first = model.fit(x, y, batch_size=8, verbose=0).history
        if place:
            spread = {v.value.device for v in model.variables}
            plan.remove()
            home = {v.value.device for v in model.variables}
            left = set(vars(model)) - names
        second = model.fit(x, y, batch_size=8, verbose=0).history
        results.append([first, second, model.evaluate(x, y, verbose=0), weights(model)])
    hooks = {"fit", "make_train_function", "make_test_function", "make_predict_function"}
    return {"equal": results[0] == results[1], "spread": len(spread), "home": len(home), "left": sorted(left & hooks)}


@case
def saved_and_loaded() -> Facts:
    import keras
    import numpy as np
    import tensorflow as tf

    model, x, y = fresh()
    plan = placed(model)
    model.fit(x, y, batch_size=8, verbose=0)
    want = model.predict(x, verbose=0)
    facts: Facts = {"ok": plan.verify().ok}
    with tempfile.TemporaryDirectory() as folder:
        model.save(f"{folder}/m.keras")
        loaded = keras.models.load_model(f"{folder}/m.keras")
        facts["keras"] = np.array_equal(loaded.predict(x, verbose=0), want)
        slots = [[v.numpy().tolist() for v in m.optimizer.variables] for m in (model, loaded)]
        facts["slots"] = slots[0] == slots[1]
        model.save_weights(f"{folder}/m.weights.h5")
        model.export(f"{folder}/served", verbose=False)
        served = tf.saved_model.load(f"{folder}/served")
        facts["export"] = bool(np.allclose(served.serve(x), want, rtol=0, atol=1e-6))
        checkpoint = tf.train.Checkpoint(model=model)
        path = checkpoint.write(f"{folder}/ck")
        kept = weights(model)
        model.fit(x, y, batch_size=8, verbose=0)
        facts["trained on"] = weights(model) != kept
        checkpoint.read(path)
        model.load_weights(f"{folder}/m.weights.h5")
        facts["restored"] = np.array_equal(model.predict(x, verbose=0), want)
    clone = keras.models.clone_model(model)
    clone.set_weights(model.get_weights())
    facts["clone"] = np.array_equal(clone.predict(x, verbose=0), want)
    facts["devices"] = len({v.value.device for v in model.variables})
    return facts


@case
def traced_again() -> Facts:
    """A second trace for another batch leaves the variables where they are; both traces go on working."""
    results = []
    for place in (False, True):
        model, x, y = fresh("dense")
        plan = placed(model) if place else None
        losses = [model.train_on_batch(x[:8], y[:8])]
        before = [v.value.device for v in (*model.variables, *model.optimizer.variables)]
        losses += [model.train_on_batch(x[:size], y[:size]) for size in (20, 8, 12)]
        after = [v.value.device for v in (*model.variables, *model.optimizer.variables)]
        results.append([[float(v) for loss in losses for v in loss], weights(model)])
    assert plan is not None
    return {
        "words": plan.warnings, "bare": plan.report.without_device, "variables": before == after,
        "ok": plan.verify().ok, "spread": len(set(after)), "equal": results[0] == results[1],
    }  # fmt: skip


@case
def batch_sizes() -> Facts:
    """The batch size planned for, by what fit is given."""
    import tensorflow as tf

    found: Facts = {}
    model, x, y = fresh()
    dataset = tf.data.Dataset.from_tensor_slices((x, y))
    calls: dict[str, tuple[tuple[Any, ...], Facts]] = {
        "said": ((x, y), {"batch_size": 10}), "by place": ((x, y, 10), {}), "default": ((x, y), {}),
        "dataset": ((dataset.batch(5).prefetch(1),), {}), "exact": ((dataset.batch(20, drop_remainder=True),), {}),
    }  # fmt: skip
    for name, (given, named) in calls.items():
        plan = placed(model)
        model.fit(*given, verbose=0, **named)
        found[name] = plan.plan.options.batch_size
        plan.remove()
    return found


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
    late: dict[str, Callable[[], Any]] = {"twice": lambda: placed(model), "early": lambda: plan.makespan_us}
    for name, ask in late.items():
        try:
            ask()
        except PardnnError as error:
            told[name] = [str(error), error.exit_code, True]
    return told


@case
def built_on_the_host() -> Facts:
    """The last logical device plays the host's memory."""
    from pardnn.placers.hosting import build_on_host

    results = []
    for place in (False, True):
        with build_on_host(DEVICES[-1] if place else DEVICES[0]):
            model, x, y = fresh()
        built = {v.value.device[-5:] for v in model.variables}
        plan = placed(model) if place else None
        model.fit(x, y, batch_size=8, verbose=0)
        results.append(weights(model))
    assert plan is not None
    return {"built": sorted(built), "equal": results[0] == results[1], "ok": plan.verify().ok}


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


def main(names: list[str]) -> None:
    """Run the cases of these names, or all: one JSON line each."""
    four_cpus()
    logging.getLogger("pardnn").setLevel(logging.ERROR)
    for name in names or CASES:
        print(json.dumps([name, CASES[name]()]), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main(sys.argv[1:])
