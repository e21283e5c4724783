"""Models trained as they are and placed, in one process with four logical CPUs: one JSON line per model and method.

`python -m tests.keras.equal [--rewritten] METHOD[,METHOD] [NETWORK...]`, all networks if none is named; grappler is
on with --rewritten only.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
# oneDNN fuses ops that stand side by side on one device, and adds up in another order then.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
DEVICES = [f"/device:CPU:{i}" for i in range(4)]


def four_cpus(rewriting: bool = False) -> Any:
    """TensorFlow with four logical CPUs."""
    import tensorflow as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 4)
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": not rewriting})
    return tf


def trained(name: str, method: str | None) -> tuple[list[Any], list[Any], Any]:
    """(losses, weights, plan) after three epochs, of which each ends with a small batch; without a method unplaced."""
    import keras

    import pardnn
    from tests.keras.networks import NETWORKS

    keras.utils.set_random_seed(1)
    model, x, y = NETWORKS[name]()
    if method is None and name == "compiled":  # XLA rounds differently; what is placed runs without it
        model.jit_compile = False
    plan = None
    if method is not None:
        plan = pardnn.place(model, gpus=4, mem="1GB", devices=DEVICES, method=method, effort="fast", cache=False)
    history = model.fit(x, y, batch_size=16, epochs=3, verbose=0, shuffle=True)
    own = [variable.numpy().tolist() for variable in model.variables]
    slots = [variable.numpy().tolist() for variable in model.optimizer.variables] if model.optimizer else []
    return [history.history[key] for key in sorted(history.history)], own + slots, plan


def _off(weights: list[Any], others: list[Any]) -> float:
    """The largest difference between two lists of weights."""
    import numpy as np

    pairs = zip(weights, others, strict=True)
    return max(float(np.abs(np.asarray(a, float) - np.asarray(b, float)).max(initial=0)) for a, b in pairs)


def main(rewriting: bool, methods: list[str], names: list[str]) -> None:
    """Answer on stdout."""
    four_cpus(rewriting)
    from tests.keras.networks import NETWORKS

    logging.getLogger("pardnn").setLevel(logging.ERROR)
    for name in names or NETWORKS:
        losses, weights, _ = trained(name, None)
        for method in methods:
            placed_losses, placed_weights, plan = trained(name, method)
            found = plan.verify()
            answer = {
                "network": name, "method": method, "losses": losses, "placed_losses": placed_losses,
                "weights": placed_weights == weights, "off": _off(weights, placed_weights),
                "variables": len(weights), "checked": found.checked,
                "moved": dict(found.moved), "bare": [*found.without_device], "report_bare": plan.report.without_device,
                "ops": plan.report.ops, "gone": found.gone, "fused": found.fused,
                "used": sorted(set(plan.placement.values())),
                "warnings": plan.warnings,
            }  # fmt: skip
            print(json.dumps(answer), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    methods, *names = [word for word in sys.argv[1:] if word != "--rewritten"]
    main("--rewritten" in sys.argv, methods.split(","), names)
