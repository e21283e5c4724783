"""Models trained as they are and placed, in one process with four logical CPUs: one JSON line per model and method.

`python -m tests.keras.equal [--rewritten] [--without PASS[,PASS]]... METHOD[,METHOD] [NETWORK...]`, all networks if
none is named. TensorFlow rewrites graphs with --rewritten only; each --without is a round that leaves passes out.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
from collections.abc import Iterator, Sequence
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
# oneDNN fuses ops that stand side by side on one device, and adds up in another order then.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
DEVICES = [f"/device:CPU:{i}" for i in range(4)]
PASSES = ("constant_folding", "arithmetic_optimization")
"""Those of graph rewriting that can be left out."""


def four_cpus(rewriting: bool = False) -> Any:
    """TensorFlow with four logical CPUs."""
    import tensorflow as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 4)
    _rewrite(rewriting)
    return tf


def _rewrite(rewriting: bool, without: Sequence[str] = ()) -> None:
    """Whether TensorFlow rewrites the graphs that run for the first time from now on, and without which passes."""
    import tensorflow as tf

    passes = {name: name not in without for name in PASSES}
    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": not rewriting} | passes)


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


def _answer(name: str, methods: list[str]) -> Iterator[dict[str, Any]]:
    """What there is to say about a network, method by method."""
    losses, weights, _ = trained(name, None)
    for method in methods:
        placed_losses, placed_weights, plan = trained(name, method)
        found = plan.verify()
        yield {
            "network": name, "method": method, "losses": losses, "placed_losses": placed_losses,
            "weights": placed_weights == weights, "off": _off(weights, placed_weights),
            "variables": len(weights), "checked": found.checked,
            "moved": dict(found.moved), "bare": [*found.without_device], "report_bare": plan.report.without_device,
            "ops": plan.report.ops, "gone": found.gone, "fused": found.fused,
            "used": sorted(set(plan.placement.values())),
            "warnings": plan.warnings,
        }  # fmt: skip


def main(rewriting: bool, rounds: list[list[str]], methods: list[str], names: list[str]) -> None:
    """Answer on stdout."""
    four_cpus(rewriting)
    from tests.keras.networks import NETWORKS

    logging.getLogger("pardnn").setLevel(logging.ERROR)
    for without in rounds:
        for name in names or NETWORKS:
            _rewrite(rewriting, without)
            for answer in _answer(name, methods):
                if rewriting and not any(without) and answer["off"] > 1e-7:
                    answer["alone"] = _alone(name)
                print(json.dumps(answer | {"without": without}), flush=True)  # noqa: T201 - the answer


def _alone(name: str) -> float:
    """How far graph rewriting moves the weights of the unplaced run."""
    rewritten = trained(name, None)[1]
    _rewrite(False)
    plain = trained(name, None)[1]
    _rewrite(True)
    return _off(rewritten, plain)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rewritten", action="store_true")
    parser.add_argument("--without", action="append")
    parser.add_argument("methods")
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    rounds = [words.split(",") for words in asked.without or [""]]
    main(asked.rewritten, rounds, asked.methods.split(","), asked.names)
