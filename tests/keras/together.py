"""A model placed over two workers, used as people do: `python -m tests.keras.together` prints [case, facts] by line."""

from __future__ import annotations

import json
import logging
import os
import socket
import tempfile
from collections.abc import Callable
from typing import Any
from unittest import mock

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # the workers have it from here: fused ops would add up in another order

from tests.keras.cases import Facts, fresh, weights
from tests.keras.workers import CPU, free_addresses, workers


def placed(model: Any, addresses: list[str], **options: Any) -> Any:
    """Its plan over the workers, neighbours apart."""
    import pardnn

    return pardnn.place(model, cluster=addresses, devices=CPU, method="round-robin", cache=False, **options)


def callbacks(model: Any, x: Any, y: Any) -> Any:
    """Whatever reads or writes variables between steps, epochs and fits."""
    import keras

    class Halved(keras.callbacks.Callback):  # type: ignore[misc] # keras has no types
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            if batch == 1:
                weights = self.model.get_weights()
                self.model.set_weights([weight / 2 for weight in weights])

    with tempfile.TemporaryDirectory() as folder:
        kept = f"{folder}/best.weights.h5"
        given = [
            Halved(),
            keras.callbacks.ReduceLROnPlateau(monitor="loss", patience=0, min_delta=9.0),
            keras.callbacks.ModelCheckpoint(kept, monitor="val_loss", save_best_only=True, save_weights_only=True),
            keras.callbacks.EarlyStopping(monitor="val_loss", patience=1, restore_best_weights=True),
        ]
        first = model.fit(x, y, batch_size=8, epochs=3, verbose=0, callbacks=given, validation_split=0.2).history
        model.optimizer.learning_rate = 0.02
        second = model.fit(x, y, batch_size=8, verbose=0).history["loss"]
        model.load_weights(kept)
        model.save(f"{folder}/m.keras")
        loaded = keras.models.load_model(f"{folder}/m.keras")
        rows = [m.predict(x, verbose=0).tolist() for m in (model, loaded)]
    return (
        first,
        second,
        rows,
        model.evaluate(x, y, verbose=0),
        model.fit(x, y, batch_size=8, verbose=0).history["loss"],
    )


def both(name: str, addresses: list[str], use: Callable[[Any, Any, Any], Any]) -> Facts:
    """What `use` returns and leaves in the model unplaced, and over the workers."""
    results = []
    for over in (False, True):
        model, x, y = fresh(name)
        if over:
            plan = placed(model, addresses)
        result = use(model, x, y)
        results.append([result, weights(model)])
    spread = sorted({v.value.device for v in model.variables})
    found = plan.verify()
    plan.remove()
    home = sorted({v.value.device for v in model.variables})
    return {
        "off": off(*results), "values": len(numbers(results[0])), "ok": found.ok,
        "checked": found.checked, "spread": spread, "home": home, "after": len(model.fit(x, y, verbose=0).history),
    }  # fmt: skip


def numbers(value: Any) -> list[float]:
    """All numbers in nested lists, dictionaries and arrays, in order."""
    if isinstance(value, dict):
        return numbers(list(value.values()))
    if isinstance(value, list | tuple):
        return [number for part in value for number in numbers(part)]
    import numpy as np

    return [float(number) for number in np.ravel(value)]


def off(one: Any, other: Any) -> float:
    """The largest difference between the numbers in one and in the other."""
    return max(abs(a - b) for a, b in zip(numbers(one), numbers(other), strict=True))


def told(use: Callable[[], Any]) -> tuple[str, str]:
    """The error's type and words."""
    try:
        use()
    except Exception as error:  # noqa: BLE001 - which it is, is the question
        return type(error).__name__, str(error)
    return "nothing", ""


def faults(addresses: list[str]) -> Facts:
    """Before anything is joined."""
    model, x, y = fresh("dense")
    found = {"down": told(lambda: placed(model, [*addresses, *free_addresses(1)], cluster_timeout="1s"))}
    with socket.socket() as stranger:
        stranger.bind(("127.0.0.1", 0))
        stranger.listen()
        other = f"127.0.0.1:{stranger.getsockname()[1]}"
        found["stranger"] = told(lambda: placed(model, [addresses[0], other], cluster_timeout="1s"))
    found["address"] = told(lambda: placed(model, ["a", "b:1"]))
    found["hosts"] = told(lambda: placed(model, addresses, hosts=3))
    found["devices"] = told(lambda: placed(model, addresses, gpus=2))
    return {**found, "trains": len(model.fit(x, y, verbose=0).history)}


def main() -> None:
    """Answer on stdout."""
    import tensorflow as tf

    import pardnn
    from pardnn.placers.address import Address, await_all

    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})
    tf.config.threading.set_intra_op_parallelism_threads(1)  # as a worker with one core: sums are split by threads
    logging.getLogger("pardnn").setLevel(logging.ERROR)
    addresses = free_addresses(2)

    def say(case: str, facts: Any) -> None:
        print(json.dumps([case, facts]), flush=True)  # noqa: T201 - the answer

    with workers(addresses) as processes:
        await_all([Address.parse(text, "") for text in addresses], 120, lambda _: None)
        say("faults", faults(addresses))
        with mock.patch.object(tf, "__version__", "1.0"):
            say("version", told(lambda: placed(fresh("dense")[0], addresses)))
        say("callbacks", both("cnn", addresses, callbacks))
        say("loop", both("lstm_loop", addresses, lambda m, x, y: m.fit(x, y, batch_size=8, verbose=0).history))
        model, x, y = fresh("dense")
        other = free_addresses(2)
        say("other", told(lambda: placed(model, other)))
        say("no GPU", told(lambda: pardnn.place(model, gpus=1, cluster=addresses)))
        placed(model, addresses)
        model.fit(x, y, verbose=0)
        processes[1].kill()
        processes[1].wait()
        say("lost", told(lambda: model.fit(x, y, verbose=0)))


if __name__ == "__main__":
    main()
