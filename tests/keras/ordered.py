"""Two workers with a core each, and a step in whose order they wait: wall times with control edges and without.

`python -m tests.keras.ordered [STEPS] [WIDTH] [BATCH]` prints the facts as JSON. The first worker has three chains of
products; the second waits for the short one in the middle, which neither first in, first out nor the contrary runs
first.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.keras.workers import CPU, MACHINE, free_addresses, workers

CHAINS = {"here/one": 4, "here/short": 2, "here/two": 4, "there/long": 8}
PINS = "here /job:worker/task:0/device:GPU:0\nthere /job:worker/task:1/device:GPU:0\n"


def step_of(width: int, batch: int) -> tuple[Any, Any]:
    """(tf.function, its argument)"""
    import tensorflow as tf

    rng = tf.random.Generator.from_seed(1)
    weights = {
        name: [tf.Variable(rng.normal((width, width), stddev=width**-0.5)) for _ in range(length)]
        for name, length in CHAINS.items()
    }

    @tf.function(autograph=False)  # type: ignore[untyped-decorator]
    def step(x: Any) -> Any:
        ends: dict[str, Any] = {}
        for name in CHAINS:
            end = ends["here/short"] if name.startswith("there") else x
            with tf.name_scope(name):
                for weight in weights[name]:
                    end = tf.matmul(end, weight)
                ends[name] = end
        with tf.name_scope("there/end"):
            last = tf.reduce_sum(ends["there/long"])
        with tf.name_scope("here/end"):
            return tf.reduce_sum(ends["here/one"]) + tf.reduce_sum(ends["here/two"]) + last

    return step, rng.normal((batch, width))


def measured(addresses: list[str], steps: int, width: int, batch: int, pin: str) -> dict[str, Any]:
    """What the plans promise and what their steps take, by turns."""
    import pardnn

    made, plans = {}, {}
    for name in ("plain", "ordered"):
        made[name] = step_of(width, batch)
        plans[name] = pardnn.place(
            made[name][0], cluster=addresses, devices=CPU, machine=MACHINE, method="single", effort="fast", cache=False,
            pin=pin, control_edges=name == "ordered",
        )  # fmt: skip
        for _ in range(3):
            float(made[name][0](made[name][1]))
    seconds: dict[str, list[float]] = {name: [] for name in made}
    results: dict[str, float] = {}
    for _ in range(steps):
        for name, (step, x) in made.items():
            started = time.perf_counter()
            results[name] = float(step(x))
            seconds[name].append(time.perf_counter() - started)
    plain, ordered = (statistics.median(seconds[name]) for name in made)
    return {
        "promised": plans["plain"].makespan_us / plans["ordered"].makespan_us,
        "measured": plain / ordered,
        "plain": plain, "ordered": ordered, "edges": [list(pair) for pair in plans["ordered"].plan.control_edges],
        "simulated_us": [plans[name].makespan_us for name in made],
        "off": abs(results["plain"] / results["ordered"] - 1),
        "ok": all(plan.verify().ok for plan in plans.values()), "load": os.getloadavg()[0],
    }  # fmt: skip


def main(steps: int = 10, width: int = 1000, batch: int = 256) -> None:
    """Answer on stdout."""
    addresses = free_addresses(2)
    with tempfile.TemporaryDirectory() as folder, workers(addresses):
        pin = Path(folder) / "pins"
        pin.write_text(PINS)
        print(json.dumps(measured(addresses, steps, width, batch, str(pin))))  # noqa: T201 - the answer


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
