"""What a pair of workers takes for things made for measuring: the link, sending, empty and tiny ops, work on both.

    python -m scripts.truth.micro FOLDER

Writes FOLDER/micro.json, all in seconds. Nothing here comes from a model. What sending and receiving cost is processor
time as the system counts it, for a clock would count what else the host does.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from scripts.truth.settings import SENT, SENT_STEPS, WORKERS
from scripts.truth.workers import Workers, device, workers

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
_numbers = itertools.count()
REPEATS = 7
WORK, WIDTH = 150, 384
"""Products of so many square matrices, one after the other: what a processor is kept busy with."""


class Bench:
    """Graphs built and timed on the workers."""

    def __init__(self, running: Workers) -> None:
        import tensorflow as tf

        self.v1 = tf.compat.v1
        self.running = running
        self.target = f"grpc://{running.addresses[0]}"
        self.config = self.v1.ConfigProto(allow_soft_placement=False)
        self.config.graph_options.rewrite_options.disable_meta_optimizer = True
        self.config.graph_options.optimizer_options.opt_level = -1

    def seconds(self, build: Callable[[], list[Any]]) -> float:
        """The median of a step that waits for all ops `build` returns."""
        with self._ready(build) as way:
            took = []
            for _ in range(REPEATS):
                began = time.perf_counter()
                way()
                took.append(time.perf_counter() - began)
            return median(took)

    def processor(self, build: Callable[[], list[Any]], steps: int = SENT_STEPS) -> list[float]:
        """What each worker's processor has to do for a step."""
        with self._ready(build) as way:
            before = self.running.seconds()
            for _ in range(steps):
                way()
            return [(end - begin) / steps for begin, end in zip(before, self.running.seconds(), strict=True)]

    @contextlib.contextmanager
    def _ready(self, build: Callable[[], list[Any]]) -> Iterator[Callable[[], Any]]:
        """The step, after two to warm up."""
        with self.v1.Graph().as_default() as graph:
            ends = build()
            with self.v1.device(device(0)), self.v1.control_dependencies(ends):
                end = self.v1.no_op()
            start = self.v1.global_variables_initializer()
            with self.v1.Session(self.target, graph, config=self.config) as session:
                session.run(start)
                way = session.make_callable(end)
                for _ in range(2):
                    way()
                yield way


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


def transfer_costs(bench: Bench, sent: Sequence[tuple[int, int]], steps: int) -> list[list[float]]:
    """[bytes, the sender's processor time for each tensor, the receiver's] for each (bytes, tensors in a step)."""
    empty = bench.processor(list, 5 * steps)
    found = []
    for size, count in sent:
        took = bench.processor(lambda s=size, c=count: sending(s, c), steps)  # type: ignore[misc]
        found.append([size, *((all_of_it - call) / count for all_of_it, call in zip(took, empty, strict=True))])
    return found


def measured(running: Workers) -> dict[str, Any]:
    """All figures."""
    from pardnn.placers.cluster import Cluster
    from pardnn.placers.link import transfers

    bench = Bench(running)
    sent = transfers(Cluster.of(list(running.addresses)))
    facts: dict[str, Any] = {"link": [list(sent.sizes), list(sent.seconds)]}
    facts["sent"] = transfer_costs(bench, SENT, SENT_STEPS)
    facts["chain"] = [bench.seconds(lambda n=n: tiny(n, False)) for n in (10, 2010)]  # type: ignore[misc]
    facts["fan"] = [bench.seconds(lambda n=n: tiny(n, True)) for n in (10, 2010)]  # type: ignore[misc]
    facts["work"] = [bench.seconds(lambda t=t: work(t)) for t in range(WORKERS)]  # type: ignore[misc]
    facts["work_both"] = bench.seconds(lambda: work(0) + work(1))
    facts["copying"] = [bench.seconds(lambda t=t: copying(t)) for t in range(WORKERS)]  # type: ignore[misc]
    facts["copying_both"] = bench.seconds(lambda: copying(0) + copying(1))
    facts["at_once"] = [[size, count, bench.seconds(lambda s=size, c=count: sending(s, c))] for size, count in SENT]  # type: ignore[misc]
    return facts


def main(folder: str) -> None:
    """Write the figures."""
    with workers(WORKERS) as running:
        (Path(folder) / "micro.json").write_text(json.dumps(measured(running), indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
