"""Where a placed model's variables are, and their values: moved, brought back, saved, loaded, read by others."""

from __future__ import annotations

import tempfile

from tests.keras.cases import Facts, case, fresh, placed, weights
from tests.keras.equal import DEVICES


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
