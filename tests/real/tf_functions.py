"""TensorFlow's own word on library functions: what inlining makes of a graph, and where ops of placed bodies run.

`python -m tests.real.tf_functions` reads jobs (a JSON list of objects) from stdin and prints one answer a line:
{"inline": FILE} -> {op: [type, data inputs as "op:port"]} after TensorFlow's inlining, loops left as they are;
{"run": FILE, "fetch": [ops], "inline": bool} -> [[op, device], ...] of one step, GPU:i played by the logical CPU i + 1.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from tests.real.tf_session import content, graph_in, logical, message_of, nodes_of

_INTERNAL = "Func/"


def inlined(path: str) -> dict[str, tuple[str, list[str]]]:
    """What TensorFlow runs instead of the file's graph, without the identities it puts around bodies."""
    from tensorflow.core.protobuf import config_pb2, meta_graph_pb2
    from tensorflow.python.grappler import tf_optimizer

    meta = meta_graph_pb2.MetaGraphDef()
    meta.graph_def.CopyFrom(graph_in(message_of(path, content(path))))
    for node in nodes_of(meta.graph_def):
        if "_lower_using_switch_merge" in node.attr:
            node.attr["_lower_using_switch_merge"].b = False
    used = {text.lstrip("^").partition(":")[0] for node in meta.graph_def.node for text in node.input}
    goals = [node.name for node in meta.graph_def.node if node.name not in used]
    meta.collection_def["train_op"].node_list.value.extend(goals)
    config = config_pb2.ConfigProto()
    _only_functions(config)
    ops = {node.name: node for node in tf_optimizer.OptimizeGraph(config, meta).node}

    def source(text: str) -> str:
        name, _, port = text.partition(":")
        while name.startswith(_INTERNAL) and ops[name].op == "Identity":
            name, _, port = ops[name].input[0].partition(":")
        return f"{name}:{port or 0}"

    return {
        name: (node.op, [source(text) for text in node.input if not text.startswith("^")])
        for name, node in ops.items()
        if not name.startswith(_INTERNAL)
    }


def ran(path: str, fetch: list[str], inline: bool) -> list[tuple[str, str]]:
    """(op, device) of every op that one step of a placed graph ran; fed is a constant for every placeholder."""
    import numpy as np
    import tensorflow as tf

    graph = graph_in(message_of(path, content(path)))
    for node in nodes_of(graph):
        node.device = logical(node.device)
    config = tf.compat.v1.ConfigProto(allow_soft_placement=False, device_count={"CPU": 5})
    if inline:
        _only_functions(config)
    else:
        config.graph_options.rewrite_options.disable_meta_optimizer = True
    with tf.Graph().as_default() as loaded:
        tf.import_graph_def(graph, name="")
        fed = {
            op.outputs[0]: np.ones(op.outputs[0].shape, op.outputs[0].dtype.as_numpy_dtype)
            for op in loaded.get_operations()
            if op.type == "Placeholder"
        }
        assigns = [op for op in loaded.get_operations() if op.name.startswith("init")]
        with tf.compat.v1.Session(config=config) as session:
            session.run(assigns, fed)
            metadata = tf.compat.v1.RunMetadata()
            options = tf.compat.v1.RunOptions(trace_level=tf.compat.v1.RunOptions.FULL_TRACE)
            session.run([f"{name}:0" for name in fetch], fed, options, metadata)
    stats = metadata.step_stats.dev_stats
    return [(node.node_name, device.device.rpartition("/device:")[2]) for device in stats for node in device.node_stats]


def _only_functions(config: Any) -> None:
    rewrite = config.graph_options.rewrite_options
    rewrite.min_graph_nodes = -1
    rewrite.optimizers.append("function")


def main() -> None:
    """Answer the jobs on stdin."""
    for job in json.load(sys.stdin):
        if "run" in job:
            answer: Any = ran(job["run"], job["fetch"], job["inline"])
        else:
            answer = inlined(job["inline"])
        print(json.dumps(answer), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    main()
