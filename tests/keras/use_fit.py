"""Training, evaluating and predicting a placed model, in every way that Keras has."""

from __future__ import annotations

import gc
import tempfile
from typing import Any

from tests.keras.cases import Facts, both, case, fresh, placed, weights


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
def datasets_of_unknown_size() -> Facts:
    """At their end TensorFlow begins one step more: the counter and the seeds go on as where nothing is placed."""

    def use(model: Any, x: Any, y: Any) -> Any:
        import tensorflow as tf

        data = tf.data.Dataset.from_tensor_slices((x, y)).batch(8).filter(lambda *_: True)
        return model.fit(data, epochs=4, verbose=0).history, int(model.optimizer.iterations.numpy())

    return both(use, "transformer")


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
def frozen() -> Facts:
    """gc.freeze(), as servers call it before they fork, hides variables from whoever looks for them."""

    def use(model: Any, x: Any, y: Any) -> Any:
        gc.freeze()
        return model.fit(x, y, batch_size=8, epochs=2, verbose=0).history

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
def in_threads() -> Facts:
    """Models that train at the same time; then one that predicts in several threads at once."""
    from concurrent.futures import ThreadPoolExecutor

    models = [fresh("dense") for _ in range(3)]
    plans = [placed(model) for model, *_ in models]

    def fit(made: Any) -> Any:
        model, x, y = made
        return model.fit(x, y, batch_size=8, shuffle=False, verbose=0).history["loss"]

    model, x, _ = models[0]

    def look(size: int) -> Any:
        return model.predict(x[:size], verbose=0).tolist()

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(fit, models))
        seen = list(pool.map(look, (5, 6, 7)))
    return {"ok": [plan.verify().ok for plan in plans], "same": seen == list(map(look, (5, 6, 7)))}
