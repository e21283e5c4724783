"""Models evaluated and asked for predictions, placed: `python -m tests.keras.evaluated` prints [case, facts] lines."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Any
from unittest import mock

from pardnn.machines.build import HOST
from tests.keras.cases import Facts, fresh, placed, weights
from tests.keras.equal import four_cpus

NETWORKS = ("dense", "cnn", "lstm_loop", "mixed_precision", "two_in_two_out")
CASES: dict[str, Callable[[], Facts]] = {}


def case(function: Callable[[], Facts]) -> Callable[[], Facts]:
    """Add a case to those that run."""
    CASES[function.__name__] = function
    return function


def _plain(values: Any) -> Any:
    """Arrays in lists as numbers in lists."""
    return [_plain(value) for value in values] if isinstance(values, list) else values.tolist()


def _asked(model: Any, x: Any, y: Any) -> Any:
    """What it says of data, with batches that end in a smaller one."""
    return model.evaluate(x, y, batch_size=16, verbose=0), _plain(model.predict(x, batch_size=16, verbose=0))


def _compared(name: str, first: bool) -> Facts:
    def use(model: Any, x: Any, y: Any) -> Any:
        before = _asked(model, x, y) if first else None
        history = model.fit(x, y, batch_size=8, epochs=2, verbose=0).history
        return before, history, _asked(model, x, y)

    model, x, y = fresh(name)
    wanted, values = use(model, x, y), weights(model)
    model, x, y = fresh(name)
    plan = placed(model)
    got, found = use(model, x, y), plan.verify()
    asides = plan._planner.asides
    return {
        "results": got == wanted, "weights": weights(model) == values, "ok": found.ok, "checked": found.checked,
        "gone": found.gone, "words": [*plan.warnings, *plan.notes], "warned": plan.warnings,
        "ops": sum(len(p.placement) for p in (plan.plan, *asides.values())),
        "spread": {kind: len({*aside.placement.values()} - {HOST}) for kind, aside in asides.items()},
    }  # fmt: skip


@case
def after_a_fit() -> Facts:
    return {name: _compared(name, first=False) for name in NETWORKS}


@case
def before_a_fit() -> Facts:
    return {name: _compared(name, first=True) for name in NETWORKS[1:3]}


@case
def alone() -> Facts:
    model, x, _ = fresh()
    wanted = model.predict(x, batch_size=8, verbose=0).tolist()
    model, x, _ = fresh()
    plan = placed(model)
    got = model.predict(x, batch_size=8, verbose=0).tolist()
    batch = plan.plan.options.batch_size
    larger = model.predict(x, batch_size=20, verbose=0).tolist()
    return {
        "equal": got == wanted, "near": _off(larger, wanted), "batch": [batch, plan.plan.options.batch_size],
        "spread": len({v.value.device for v in model.weights}), "ok": plan.verify().ok, "report": str(plan.report),
        "words": [*plan.warnings, *plan.notes],
    }  # fmt: skip


@case
def several_at_once() -> Facts:
    """Steps per execution, and single batches."""
    import numpy as np

    def use(model: Any, x: Any, y: Any) -> Any:
        model.compile("adam", "sparse_categorical_crossentropy", steps_per_execution=2)
        model.fit(x, y, batch_size=8, verbose=0)
        single = np.ravel(model.test_on_batch(x[:9], y[:9])).tolist(), model.predict_on_batch(x[:5]).tolist()
        return _asked(model, x, y), single

    model, x, y = fresh()
    wanted = use(model, x, y)
    model, x, y = fresh()
    plan = placed(model)
    return {"results": use(model, x, y) == wanted, "ok": plan.verify().ok, "checked": plan.verify().checked}


@case
def traces() -> Facts:
    """Each is read back once, and none costs anything later."""
    from pardnn.placers.verify import reading_back

    model, x, y = fresh("dense")
    plan = placed(model)
    seen = []
    with mock.patch("pardnn.placers.keras.reading_back", wraps=reading_back) as read:
        uses: tuple[Callable[[], Any], ...] = (
            lambda: model.fit(x, y, batch_size=8, epochs=2, verbose=0),
            lambda: model.fit(x, y, batch_size=8, verbose=0),
            lambda: model.evaluate(x, y, batch_size=8, verbose=0),
            lambda: model.evaluate(x, y, batch_size=8, verbose=0),
            lambda: model.predict(x, batch_size=8, verbose=0),
            lambda: model.train_on_batch(x[:7], y[:7]),
            lambda: model.compile("sgd", "sparse_categorical_crossentropy"),
            lambda: model.fit(x, y, batch_size=8, verbose=0),
        )
        for use in uses:
            use()
            seen.append([read.call_count, plan.verify().checked])
    return {"seen": seen, "ok": plan.verify().ok}


@case
def too_large() -> Facts:
    """Activations of a batch that no device holds."""
    import numpy as np

    model, x, y = fresh("dense")
    x, y = np.repeat(x, 50, axis=0), np.repeat(y, 50)
    wanted = model.evaluate(x, y, batch_size=2000, verbose=0)
    model, *_ = fresh("dense")
    plan = placed(model, mem="40kB", mem_fraction=1)
    return {"equal": model.evaluate(x, y, batch_size=2000, verbose=0) == wanted, "words": plan.warnings}


@case
def removed() -> Facts:
    model, x, y = fresh()
    plan = placed(model)
    model.fit(x, y, batch_size=8, verbose=0)
    before = _asked(model, x, y)
    plan.remove()
    hooks = {"fit", "evaluate", "predict", "make_test_function", "make_predict_function"}
    return {"equal": _asked(model, x, y) == before, "left": sorted(hooks & set(vars(model)))}


def _off(some: Any, others: Any) -> bool:
    import numpy as np

    return bool(np.allclose(some, others, atol=1e-6))


def main() -> None:
    """Run the cases: one JSON line each."""
    four_cpus()
    logging.getLogger("pardnn").setLevel(logging.ERROR)
    for name, function in CASES.items():
        print(json.dumps([name, function()]), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main()
