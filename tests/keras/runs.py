"""Steps run in a session beside Keras's own: `python -m tests.keras.runs NETWORK...` prints facts line by line."""

from __future__ import annotations

import json
import sys
from typing import Any

from tests.keras.equal import DEVICES, four_cpus


def main(names: list[str]) -> None:
    """Answer on stdout."""
    tf = four_cpus()
    import keras
    import numpy as np

    from pardnn.placers.runner import Runner, with_devices
    from pardnn.placers.trace import Devices, definition, ends
    from pardnn.placers.variables import captured
    from tests.keras.networks import NETWORKS

    def facts(name: str) -> dict[str, Any]:
        keras.utils.set_random_seed(1)
        model, x, y = NETWORKS[name]()
        batch = tf.nest.map_structure(lambda rows: rows[:16], (x, y))
        model._symbolic_build(data_batch=batch)
        graph = tf.function(model.train_step, autograph=False).get_concrete_function(batch).graph
        variables = {item.argument: item.variable for item in captured(graph)}
        message = definition(graph)
        apart = {op.name: DEVICES[i % 4] for i, op in enumerate(message.node)}
        feeds = dict(
            zip((t.name for t in graph.inputs if t.dtype != tf.resource), tf.nest.flatten(batch), strict=False)
        )
        # TensorFlow runs what takes a variable where that is
        free = {op.name for op in graph.get_operations() if all(t.dtype != tf.resource for t in op.inputs)}
        feeds = {name: np.asarray(rows) for name, rows in feeds.items()}
        fetches = [tensor.name for tensor in graph.outputs]
        with Runner(with_devices(message, Devices(apart)), rewriting=False) as runner:
            runner.assign({name: variable.numpy() for name, variable in variables.items()})
            outputs = runner.step(feeds, fetches, ends(graph, graph.outputs))
            held, one = runner.values(), runner.values([next(iter(variables))])
            want = model.train_on_batch(*batch)
            equal = {name: np.array_equal(held[name], variable.numpy()) for name, variable in variables.items()}
            again, metadata = runner.traced(feeds, fetches, ends(graph, graph.outputs))
            model.train_on_batch(*batch)  # which starts its metrics anew
            metrics = {id(variable.value) for variable in model.metrics_variables}
            kept = {name: value for name, value in runner.values().items() if id(variables[name]) not in metrics}
        ran = {
            (node.node_name, stats.device.rpartition("/job:localhost/replica:0/task:0")[2])
            for stats in metadata.step_stats.dev_stats
            for node in stats.node_stats
        }
        return {
            "outputs": sorted(map(float, outputs)) == sorted(map(float, want)),
            "again": all(np.array_equal(value, variables[name].numpy()) for name, value in kept.items()),
            "changed": outputs != again,
            "weights": all(equal.values()),
            "variables": len(equal),
            "bytes": sum(runner.variables.values()) == sum(value.nbytes for value in held.values()),
            "one": [*one] == [next(iter(variables))],
            "traced": len({op for op, _ in ran} & apart.keys()) / len(apart),
            "elsewhere": [op for op, device in ran if op in free and apart[op] != device],
            "partitions": len(metadata.partition_graphs),
        }

    for name in names:
        print(json.dumps(facts(name)), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main(sys.argv[1:])
