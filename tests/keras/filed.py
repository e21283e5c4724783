"""A step with branches as a placed graph file, run in a session: `python -m tests.keras.filed` prints facts as JSON."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.keras.bodied import made, scaled
from tests.keras.equal import DEVICES, four_cpus

_PART = re.compile(r"(/(?:then|else|branch\d+))/_\d+(?=/)")


def played(device: str) -> str:
    """The CPU that plays a GPU, or the host."""
    return DEVICES[int(device.rpartition(":")[2])] if device else ""


def ran(message: Any, feeds: Any) -> tuple[Any, dict[str, str]]:
    """(what the variables hold after three steps, the device of every op that ran)."""
    import numpy as np
    import tensorflow as tf

    from pardnn.placers.runner import Runner

    rng, values = np.random.RandomState(0), {}
    for node in message.node:
        if node.op == "VarHandleOp":  # small numbers: a loss scale of 2 or so among them, which overflows nothing
            drawn = np.asarray(rng.randint(1, 5, tf.TensorShape(node.attr["shape"].shape).as_list()))
            values[node.name] = drawn.astype(tf.as_dtype(node.attr["dtype"].type).as_numpy_dtype)
    with Runner(message, rewriting=False) as runner:
        runner.assign(values)
        for _ in range(2):
            runner.step(feeds, targets=["train"])
        _, metadata = runner.traced(feeds, targets=["train"])
        held = {name: value.tolist() for name, value in runner.values().items()}
    stats = [(node.node_name, device.device) for device in metadata.step_stats.dev_stats for node in device.node_stats]
    moved = any(held[name] != value.tolist() for name, value in values.items())
    assert moved
    return held, {_PART.sub(r"\1", name): device[device.index("/device") :] for name, device in stats}


def main() -> None:
    """Answer on stdout."""
    tf = four_cpus()
    tf.config.set_soft_device_placement(False)
    import pardnn
    from pardnn.placers.extract import extracted

    model, x, y = made(scaled)
    graph, _ = extracted((model, x[:8], y[:8]), "scaled")
    plan = pardnn.partition(graph, gpus=4, mem="1GB", method="round-robin", targets=["train"])
    placed = type(graph).FromString(plan.placed_graph())
    for nodes in (placed.node, *(function.node_def for function in placed.library.function)):
        for node in nodes:
            node.device = played(node.device)
    inputs = [node for node in graph.node if node.op == "Placeholder"]
    feeds = {
        node.name: x[:8] if tf.as_dtype(node.attr["dtype"].type).is_floating else y[:8] for node in inputs
    }  # fmt: skip
    wanted, _ = ran(graph, feeds)
    got, where = ran(placed, feeds)
    planned = {op: played(device) for op, device in plan.placement.items() if op in where}
    variables = {played(plan.placement[name]) for name in wanted}
    answer = {
        "equal": got == wanted, "variables": [len(wanted), len(variables)], "ops": len(plan.placement),
        "ran": len(planned), "inside": sum("/then/" in op for op in planned),
        "elsewhere": [op for op, device in planned.items() if where[op] != device],
    }  # fmt: skip
    print(json.dumps(answer))  # noqa: T201 - the answer


if __name__ == "__main__":
    main()
