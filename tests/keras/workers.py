"""Two workers with a core each, and a model with two heavy towers, which one worker and two train: wall times of steps.

`python -m tests.keras.workers [STEPS] [WIDTH]` prints the facts as JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
MACHINE = str(Path(__file__).with_name("core.toml"))
CPU = ["/device:CPU:0"]


def free_addresses(count: int) -> list[str]:
    """Addresses on this host at which nobody listens."""
    with contextlib.ExitStack() as open_ports:
        sockets = [open_ports.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [f"127.0.0.1:{each.getsockname()[1]}" for each in sockets]


@contextlib.contextmanager
def workers(addresses: list[str]) -> Iterator[list[subprocess.Popen[str]]]:
    """`pardnn serve` for each address, task i pinned to the i-th core this process may use; ended by TERM."""
    cores = sorted(os.sched_getaffinity(0))
    started = []
    try:
        for task in range(len(addresses)):
            program = [sys.executable, "-m", "pardnn", "serve", "--cluster", ",".join(addresses), "--task", str(task)]
            os.sched_setaffinity(0, {cores[task % len(cores)]})  # a new process has its parent's
            started.append(subprocess.Popen(program, stderr=subprocess.PIPE, text=True))
        yield started
    finally:
        os.sched_setaffinity(0, cores)
        for process in started:
            process.terminate()
            process.communicate()


def towers(width: int, batch: int) -> tuple[Any, Any, Any]:
    """(model, x, y): two stacks of dense layers side by side; what joins them is small."""
    import keras
    import numpy as np

    keras.utils.set_random_seed(1)
    inputs = [keras.Input((256,), batch) for _ in range(2)]
    ends = []
    for x in inputs:
        for _ in range(3):
            x = keras.layers.Dense(width, "tanh")(x)
        ends.append(keras.layers.Dense(16)(x))
    model = keras.Model(inputs, keras.layers.Dense(1)(keras.layers.Concatenate()(ends)))
    model.compile("sgd", "mse", jit_compile=False)
    rng = np.random.default_rng(0)
    x = [rng.normal(size=(batch, 256)).astype("float32") for _ in inputs]
    return model, x, sum(part[:, :1] for part in x)


def measured(addresses: list[str], steps: int, width: int, batch: int) -> dict[str, Any]:
    """What the plans promise and what their steps take, the two by turns."""
    import pardnn

    models, plans = {}, {}
    for name, method in (("one", "single"), ("two", "auto")):
        model, x, y = towers(width, batch)
        plans[name] = pardnn.place(
            model, cluster=addresses, devices=CPU, machine=MACHINE, method=method, effort="fast", cache=False
        )
        models[name] = model
        for _ in range(3):
            model.train_on_batch(x, y)
    seconds: dict[str, list[float]] = {name: [] for name in models}
    losses: dict[str, list[float]] = {name: [] for name in models}
    for _ in range(steps):
        for name, model in models.items():
            started = time.perf_counter()
            losses[name].append(float(model.train_on_batch(x, y)))
            seconds[name].append(time.perf_counter() - started)
    one, two = (statistics.median(seconds[name]) for name in ("one", "two"))
    return {
        "promised": plans["one"].makespan_us / plans["two"].makespan_us,
        "measured": one / two,
        "one": one, "two": two, "least": [min(seconds[name]) for name in ("one", "two")],
        "losses": losses["two"], "off": max(abs(a / b - 1) for a, b in zip(*losses.values(), strict=True)),
        "comm_bytes": plans["two"].plan.schedule.sent_bytes,
        "used": sorted(set(plans["two"].placement.values())), "ok": all(plan.verify().ok for plan in plans.values()),
        "load": os.getloadavg()[0],
    }  # fmt: skip


def main(steps: int = 10, width: int = 1500, batch: int = 256) -> None:
    """Answer on stdout."""
    addresses = free_addresses(2)
    with workers(addresses):
        print(json.dumps(measured(addresses, steps, width, batch)))  # noqa: T201 - the answer


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
