#!/usr/bin/env python3
"""Seconds of a Keras model's first step and of those after it, as it is and placed: a table, and a JSON line per row.

    scripts/time_steps.py [OPS...] [--method auto] [--repeat 1] [--steps 200] [--profile]

Residual networks of about OPS ops per training step on tiny pictures, so that nothing but overhead takes time. "first":
from the call of `fit` (placed: of `place`) to the end of the first batch, planning included, each in a fresh process
on two logical CPUs; "kept": the same with the plan of the process before; in brackets the ratio of processor times,
which a busy machine changes less. "steady": a step on one device, placed by `single`, over the same unplaced, turn by
turn; the median of the ratios. --profile prints where a placed first step spends its time instead. Needs tensorflow.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pstats
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

SIZES = (1000, 4000, 10_000, 20_000, 40_000)
BLOCK, REST = 507, 182
"""Ops of a block, and of all that is no block."""
BATCH = 4
HOUR_S = 3600.0
COLUMNS = "ops|keras: first|placed: first|ratio|kept: first|ratio|planning of an hour|steady|ratio|load"
TWO = {"gpus": 2, "devices": ["/device:CPU:0", "/device:CPU:1"]}
ONE = {"gpus": 1, "devices": ["/device:CPU:0"], "method": "single"}


def network(ops: int) -> Any:
    """A compiled residual network: (convolution, ReLU, batch norm) twice in each block, Adam."""
    import keras
    from keras import layers

    keras.utils.set_random_seed(1)
    x = image = keras.Input((4, 4, 4))
    for _ in range(max(1, round((ops - REST) / BLOCK))):
        y = x
        for _ in range(2):
            y = layers.Conv2D(4, 3, padding="same")(layers.ReLU()(layers.BatchNormalization()(y)))
        x = layers.add([x, y])
    model = keras.Model(image, layers.Dense(4)(layers.GlobalAveragePooling2D()(x)))
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"], jit_compile=False)
    return model


def batches() -> Any:
    """The same batch for ever."""
    import numpy as np
    import tensorflow as tf

    rng = np.random.default_rng(0)
    one = rng.normal(size=(BATCH, 4, 4, 4)).astype("float32"), rng.integers(0, 4, BATCH)
    return tf.data.Dataset.from_tensors(one).repeat()


def first_step(model: Any, options: dict[str, Any] | None) -> dict[str, Any]:
    """Seconds until the first batch of a `fit` is done, and of planning; without options the model is unplaced."""
    import keras

    import pardnn

    ended: list[tuple[float, float]] = []

    def end(*_: Any, **__: Any) -> None:
        ended.append((time.perf_counter(), time.process_time()))

    data = batches()
    began = time.perf_counter(), time.process_time()
    plan = None if options is None else pardnn.place(model, **options)
    told = keras.callbacks.LambdaCallback(on_train_batch_end=end)
    model.fit(data, steps_per_epoch=1, shuffle=False, verbose=0, callbacks=[told])
    wall, cpu = (b - a for a, b in zip(began, ended[0], strict=True))
    found = {} if plan is None else {"ops": plan.report.ops, "kept": plan.from_cache, "planning": plan.plan.seconds}
    return {"wall_s": wall, "cpu_s": cpu, **found}


def steady(ops: int, steps: int) -> dict[str, Any]:
    """The median seconds of a step, and the median ratio of a placed one to it, run in turn."""
    models = network(ops), network(ops)
    first_step(models[0], None)
    first_step(models[1], {"cache": False, **ONE})
    data = iter(batches())

    def seconds(model: Any) -> float:
        started = time.perf_counter()
        model.train_function(data)["loss"].numpy()
        return time.perf_counter() - started

    pairs = [(seconds(models[0]), seconds(models[1])) for _ in range(steps + steps // 10)][steps // 10 :]
    return {"step_s": statistics.median(a for a, _ in pairs), "ratio": statistics.median(b / a for a, b in pairs)}


def profiled(ops: int, method: str) -> None:
    """Print the functions in which a placed first step spends most of its processor time."""
    model, profile = network(ops), cProfile.Profile(time.process_time)
    profile.runcall(first_step, model, {"cache": False, "method": method, **TWO})
    stats = pstats.Stats(profile)
    stats.sort_stats("cumulative").print_stats("pardnn|scheduler", 60)
    stats.sort_stats("tottime").print_stats(30)


def here(ops: int, way: str, method: str, steps: int) -> None:
    """One measurement in this process, with two logical CPUs."""
    import tensorflow as tf

    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    if way == "profile":
        profiled(ops, method)
    elif way == "steady":
        print(json.dumps(steady(ops, steps)))
    else:
        print(json.dumps(first_step(network(ops), None if way == "keras" else {"method": method, **TWO})))


def started(ops: int, way: str, asked: argparse.Namespace) -> str:
    """What `here` prints in a fresh process."""
    words = [str(ops), f"--here={way}", f"--method={asked.method}", f"--steps={asked.steps}"]
    return subprocess.run([sys.executable, __file__, *words], check=True, stdout=subprocess.PIPE, text=True).stdout


def measured(ops: int, asked: argparse.Namespace) -> dict[str, Any]:
    """The figures of one size; of several first steps of each kind the best."""
    load = os.getloadavg()[0]
    found: dict[str, list[dict[str, Any]]] = {"keras": [], "placed": [], "kept": []}
    for _ in range(asked.repeat):
        shutil.rmtree(Path(os.environ["PARDNN_CACHE_DIR"]) / "plans", ignore_errors=True)
        for way, answers in found.items():
            answers.append(json.loads(started(ops, way, asked)))
    assert all(answer["kept"] for answer in found["kept"])
    best = {way: min(answers, key=lambda answer: float(answer["wall_s"])) for way, answers in found.items()}
    return {**best, "steady": json.loads(started(ops, "steady", asked)), "load": load}


def row(found: dict[str, Any]) -> str:
    """A line of the table."""
    keras, placed, kept, after = (found[part] for part in ("keras", "placed", "kept", "steady"))

    def ratio(part: dict[str, Any]) -> str:
        return f"{part['wall_s'] / keras['wall_s']:.2f} ({part['cpu_s'] / keras['cpu_s']:.2f})"

    cells = (
        f"{placed['ops']:,}", f"{keras['wall_s']:.2f} s", f"{placed['wall_s']:.2f} s", ratio(placed),
        f"{kept['wall_s']:.2f} s", ratio(kept), f"{sum(placed['planning'].values()) / HOUR_S:.2%}",
        f"{after['step_s'] * 1e3:.1f} ms", f"{after['ratio']:.3f}", f"{found['load']:.1f}",
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def main() -> int:
    """Print a row per size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ops", type=int, nargs="*", default=SIZES)
    parser.add_argument("--method", default="auto")
    parser.add_argument("--repeat", type=int, default=1, help="first steps of each kind, of which the best counts")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--here", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.here:
        here(asked.ops[0], asked.here, asked.method, asked.steps)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PARDNN_CACHE_DIR"] = folder
        started(1, "placed", asked)  # compiles what is compiled once per user
        if asked.profile:
            print(*(started(ops, "profile", asked) for ops in asked.ops), sep="\n")
            return 0
        print(f"|{COLUMNS}|\n|{'---|' * (COLUMNS.count('|') + 1)}")
        found = []
        for ops in asked.ops:
            found.append(measured(ops, asked))
            print(row(found[-1]), flush=True)
    print(*map(json.dumps, found), sep="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
