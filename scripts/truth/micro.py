"""What a pair of workers takes for things made for measuring: the link, sending beside work, empty and tiny ops.

    python -m scripts.truth.micro FOLDER

Writes FOLDER/micro.json, all in seconds. Nothing here comes from a model.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from scripts.truth.runs import device
from scripts.truth.settings import WORKERS
from scripts.truth.workers import workers

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
_numbers = itertools.count()
REPEATS = 7
SENT = ((4, 200), (1 << 16, 100), (1 << 20, 24), (1 << 22, 12), (1 << 24, 4))
"""(bytes of a tensor, tensors) that are sent beside work."""
WORK, WIDTH = 150, 384
"""Products of so many square matrices, one after the other: what a processor is kept busy with."""


class Bench:
    """Graphs built and timed on the workers."""

    def __init__(self, target: str) -> None:
        import tensorflow as tf

        self.v1 = tf.compat.v1
        self.target = target
        self.config = self.v1.ConfigProto(allow_soft_placement=False)
        self.config.graph_options.rewrite_options.disable_meta_optimizer = True
        self.config.graph_options.optimizer_options.opt_level = -1

    def seconds(self, build: Callable[[], Any], traced: bool = False) -> Any:
        """The median of a step that waits for all ops `build` returns; or the trace of one."""
        with self.v1.Graph().as_default() as graph:
            ends = build()
            with self.v1.device(device(0)), self.v1.control_dependencies(ends):
                end = self.v1.no_op()
            start = self.v1.global_variables_initializer()
            with self.v1.Session(self.target, graph, config=self.config) as session:
                session.run(start)
                if traced:
                    options, found = self.v1.RunOptions(trace_level=3), self.v1.RunMetadata()
                    for _ in range(3):
                        session.run(end, options=options, run_metadata=found)
                    return found
                way = session.make_callable(end)
                took = []
                for _ in range(REPEATS + 2):
                    began = time.perf_counter()
                    way()
                    took.append(time.perf_counter() - began)
                return median(took[2:])


def held(value: Any) -> Any:
    """A variable's value; each variable has a name that no other graph has, for all share the workers' tables."""
    import tensorflow as tf

    name = f"held_{next(_numbers)}"
    return tf.compat.v1.Variable(value, use_resource=True, name=name).read_value()


def work(task: int, count: int = WORK) -> list[Any]:
    """A chain of products on one worker."""
    import tensorflow as tf

    v1 = tf.compat.v1
    with v1.device(device(task)):
        value = matrix = held(np.eye(WIDTH, dtype="float32"))
        for _ in range(count):
            value = tf.raw_ops.MatMul(a=value, b=matrix)
    return [value.op]


def copying(task: int, count: int = 12) -> list[Any]:
    """A chain of sums over arrays that no cache holds."""
    import tensorflow as tf

    v1 = tf.compat.v1
    with v1.device(device(task)):
        value = array = held(np.zeros(1 << 22, "float32"))
        for _ in range(count):
            value = tf.raw_ops.Neg(x=value)
            value = tf.raw_ops.AddV2(x=value, y=array)
    return [value.op]


def sending(size: int, count: int) -> list[Any]:
    """So many tensors that go from worker 0 to worker 1, all at once."""
    import tensorflow as tf

    v1 = tf.compat.v1
    with v1.device(device(0)):
        value = held(np.zeros(size, "uint8"))
        made = [tf.identity(value) for _ in range(count)]
    with v1.device(device(1)):
        return [tf.identity(one).op for one in made]


def hops(count: int, size: int = 4) -> list[Any]:
    """A tensor that goes there and back."""
    import tensorflow as tf

    v1 = tf.compat.v1
    with v1.device(device(0)):
        value = held(np.zeros(size, "uint8"))
    for hop in range(count):
        with v1.device(device(1 - hop % 2)):
            value = tf.identity(value, name=f"hop_{hop}")
    return [value.op]


def tiny(count: int, side_by_side: bool) -> list[Any]:
    """So many ops that do nothing, on worker 0."""
    import tensorflow as tf

    v1 = tf.compat.v1
    with v1.device(device(0)):
        start = held(np.zeros(1, "float32"))
        if side_by_side:
            return [tf.raw_ops.Sigmoid(x=start).op for _ in range(count)]
        value = start
        for _ in range(count):
            value = tf.raw_ops.Sigmoid(x=value)
        return [value.op]


def _hop_seconds(metadata: Any, count: int) -> list[float]:
    found = {}
    for row in metadata.step_stats.dev_stats:
        for stats in row.node_stats:
            if re.fullmatch(r"hop_\d+", stats.node_name):
                found[int(stats.node_name[4:])] = stats.all_start_nanos + stats.op_start_rel_nanos
    return [(found[i + 1] - found[i]) / 1e9 for i in range(count - 1)]


def measured(addresses: tuple[str, ...]) -> dict[str, Any]:
    """All figures."""
    from pardnn.placers.cluster import Cluster
    from pardnn.placers.link import transfers

    bench = Bench(f"grpc://{addresses[0]}")
    sent = transfers(Cluster.of(list(addresses)))
    facts: dict[str, Any] = {"link": [list(sent.sizes), list(sent.seconds)]}
    facts["empty"] = bench.seconds(list)
    facts["chain"] = [bench.seconds(lambda n=n: tiny(n, False)) for n in (10, 2010)]  # type: ignore[misc]
    facts["fan"] = [bench.seconds(lambda n=n: tiny(n, True)) for n in (10, 2010)]  # type: ignore[misc]
    facts["work"] = [bench.seconds(lambda t=t: work(t)) for t in range(WORKERS)]  # type: ignore[misc]
    facts["work_both"] = bench.seconds(lambda: work(0) + work(1))
    facts["copying"] = [bench.seconds(lambda t=t: copying(t)) for t in range(WORKERS)]  # type: ignore[misc]
    facts["copying_both"] = bench.seconds(lambda: copying(0) + copying(1))
    facts["work_copying"] = [bench.seconds(lambda: work(0) + copying(1)), bench.seconds(lambda: work(1) + copying(0))]
    facts["beside"] = [
        [size, count, bench.seconds(lambda s=size, c=count: sending(s, c)),  # type: ignore[misc]
         *(bench.seconds(lambda s=size, c=count, t=t: sending(s, c) + work(t)) for t in range(WORKERS))]  # type: ignore[misc]
        for size, count in SENT
    ]  # fmt: skip
    for name, busy in (("idle", ()), ("sender", (0,)), ("receiver", (1,)), ("both", (0, 1))):
        for size in (4, 1 << 20):
            made = bench.seconds(lambda b=busy, s=size: hops(21, s) + [op for t in b for op in work(t)], traced=True)  # type: ignore[misc]
            facts[f"hops_{name}_{size}"] = _hop_seconds(made, 21)
    return facts


def main(folder: str) -> None:
    """Write the figures."""
    with workers(WORKERS) as addresses:
        (Path(folder) / "micro.json").write_text(json.dumps(measured(addresses), indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
