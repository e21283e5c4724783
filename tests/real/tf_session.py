"""TensorFlow's own word on placed graphs: does it load, does its placer agree, does every op run where the plan says?

`python -m tests.real.tf_session` reads jobs (a JSON list of `Job`s as objects) from stdin and prints a list of answers;
so that TensorFlow is imported once, and never into the tests' own process. GPU:i is played by the logical CPU i + 1.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

LOGICAL = 17
"""Logical CPUs: the host and up to 16 GPUs."""
_RESOURCE = 20  # DataType of a variable's handle
_TOLD = 10  # misplaced ops named in an answer
_CPU_TASK = "/job:localhost/replica:0/task:0/device:CPU:"


def message_of(path: str, data: bytes) -> Any:
    """The file's outermost message by TensorFlow's own definitions; its kind and form are known by the name."""
    from google.protobuf import text_format
    from tensorflow.core.framework import graph_pb2
    from tensorflow.core.protobuf import meta_graph_pb2, saved_model_pb2

    name = Path(path).name
    kind: Any = graph_pb2.GraphDef
    if "saved_model" in name:
        kind = saved_model_pb2.SavedModel
    elif ".meta" in name:
        kind = meta_graph_pb2.MetaGraphDef
    if ".pbtxt" in name:
        return text_format.Parse(data.decode(), kind(), allow_unknown_field=True)
    return kind.FromString(data)


def graph_in(message: Any) -> Any:
    """The GraphDef in a message, of a SavedModel the first."""
    if hasattr(message, "meta_graphs"):
        return message.meta_graphs[0].graph_def
    return message.graph_def if hasattr(message, "graph_def") else message


def content(path: str) -> bytes:
    """A file's data, unpacked."""
    data = Path(path).read_bytes()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def nodes_of(graph: Any) -> Iterable[Any]:
    """Every node of a GraphDef, those of functions too."""
    yield from graph.node
    for function in graph.library.function:
        yield from function.node_def


def logical(device: str) -> str:
    """The logical CPU that plays a device of a plan."""
    kind, _, number = device.removeprefix("/device:").partition(":")
    return f"/device:CPU:{int(number) + (kind == 'GPU')}" if device else ""


def _public(name: str) -> str:
    """A name that TensorFlow imports: it makes names that begin with "_" itself, and refuses them from others."""
    return f"public{name}" if name.startswith("_") else name


def _rename(graph: Any) -> None:
    """Give every node a public name, wherever it is named."""
    for node in graph.node:
        node.name = _public(node.name)
        for i, text in enumerate(node.input):
            node.input[i] = f"^{_public(text[1:])}" if text.startswith("^") else _public(text)
        for i, text in enumerate(node.attr["_class"].list.s if "_class" in node.attr else ()):
            kind, _, name = text.decode().partition("@")
            node.attr["_class"].list.s[i] = f"{kind}@{_public(name)}".encode()


def load(graph: Any, answer: dict[str, Any], placement: Mapping[str, str]) -> None:
    """Import with GPU names as they are, and compare op.device with the plan for every op."""
    import tensorflow as tf

    with tf.Graph().as_default() as loaded:
        tf.import_graph_def(graph, name="")
    place = {op.name: op.device for op in loaded.get_operations()}  # the import gives unplaced ops their group's device
    answer["loaded"] = len(place)
    answer["elsewhere"] = [name for name, device in placement.items() if place.get(name, device) != device]


def session_for(graph: Any) -> tuple[Any, Any]:
    """A graph with its GPUs played by logical CPUs, and a session that does exactly what its devices say."""
    import tensorflow as tf

    played = type(graph)()
    played.CopyFrom(graph)
    for node in nodes_of(played):
        node.device = logical(node.device)
    _give_variables(played)
    with tf.Graph().as_default() as loaded:
        tf.import_graph_def(played, name="")
    config = tf.compat.v1.ConfigProto(allow_soft_placement=False, device_count={"CPU": LOGICAL})
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    assert not config.graph_options.place_pruned_graph
    return loaded, tf.compat.v1.Session(graph=loaded, config=config)


def _give_variables(graph: Any) -> None:
    """Turn placeholders of a traced function's captured variables into variables, known by an op that reads them."""
    reads = {node.input[0]: node for node in graph.node if node.op == "ReadVariableOp"}
    for node in graph.node:
        if node.op == "Placeholder" and node.attr["dtype"].type == _RESOURCE:
            read = reads[node.name]
            node.op = "VarHandleOp"
            node.attr.clear()
            node.attr["dtype"].type = read.attr["dtype"].type
            node.attr["shape"].shape.CopyFrom(read.attr["_output_shapes"].list.shape[0])
            node.attr["shared_name"].s = node.name.encode()


def value(dtype: Any, shape: Iterable[int | None], batch: int) -> Any:
    """Data for a placeholder or a variable: small random numbers, zeros where they are counters or labels."""
    import numpy as np

    dims = [batch if dim is None else dim for dim in shape]
    if dtype.is_floating:
        return np.random.default_rng(0).uniform(0.0, 0.1, dims).astype(dtype.as_numpy_dtype)
    return np.zeros(dims, dtype.as_numpy_dtype)


def initialise(loaded: Any, session: Any, wanted: set[str], batch: int) -> int:
    """Give every variable that is wanted a value, whatever kind of variable it is; how many there were."""
    import tensorflow as tf

    assigns = []
    with loaded.as_default():
        for op in loaded.get_operations():
            if op.name not in wanted or op.type not in ("VariableV2", "Variable", "VarHandleOp"):
                continue
            dtype = tf.as_dtype(op.get_attr("dtype")).base_dtype
            data = tf.constant(value(dtype, tf.TensorShape(op.get_attr("shape")).as_list(), batch))
            if op.type == "VarHandleOp":
                assigns.append(tf.raw_ops.AssignVariableOp(resource=op.outputs[0], value=data))
            else:
                assigns.append(tf.raw_ops.Assign(ref=op.outputs[0], value=data).op)
    session.run(assigns)
    return len(assigns)


def step(loaded: Any, session: Any, placement: Mapping[str, str], batch: int) -> Any:
    """One training step: everything of the plan that nothing else of the plan consumes; its RunMetadata."""
    import tensorflow as tf

    wanted = set(placement)
    ops = [op for op in loaded.get_operations() if op.name in wanted]
    consumed = {i.op.name for op in ops for i in op.inputs} | {i.name for op in ops for i in op.control_inputs}
    fed = {
        op.outputs[0]: value(
            op.outputs[0].dtype, op.outputs[0].shape.as_list() if op.outputs[0].shape.rank else [], batch
        )
        for op in ops
        if op.type.startswith("Placeholder") and op.type != "PlaceholderWithDefault"
    }
    targets = [op for op in ops if op.name not in consumed and loaded.is_fetchable(op)]
    options = tf.compat.v1.RunOptions(trace_level=tf.compat.v1.RunOptions.FULL_TRACE, output_partition_graphs=True)
    metadata = tf.compat.v1.RunMetadata()
    session.run(targets, feed_dict=fed, options=options, run_metadata=metadata)
    return metadata


def compare(metadata: Any, placement: Mapping[str, str], answer: dict[str, Any]) -> None:
    """Where the runtime's partition graphs and its step statistics have each op of the plan."""
    places: list[tuple[str, str]] = []
    for partition in metadata.partition_graphs:
        places += [(node.name, node.device) for node in partition.node]
    stats = [(s.node_name, d.device) for d in metadata.step_stats.dev_stats for s in d.node_stats]
    known = {(name, device) for name, device in places if name in placement}
    ran = {(name, device) for name, device in stats if name in placement}
    full = {name: _CPU_TASK + logical(device).rpartition(":")[2] for name, device in placement.items()}
    answer["in_partitions"] = len({name for name, _ in known})
    answer["executed"] = len({name for name, _ in ran})
    answer["elsewhere"] += sorted({name for name, device in known | ran if device != full[name]})


def work(job: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to one job: counts, and under "error" what TensorFlow refused."""
    import tensorflow as tf

    answer: dict[str, Any] = {"graph": job["graph"]}
    graph = graph_in(message_of(job["graph"], content(job["graph"])))
    _rename(graph)
    stored = json.loads(Path(job["plan"]).read_text())["placement"]
    placement = {_public(name): device for name, device in stored.items()}
    try:
        answer["stage"] = "load"
        load(graph, answer, placement)
        answer["stage"] = "place"
        loaded, session = session_for(graph)
        with loaded.as_default(), tf.device("/device:CPU:0"):
            nothing = tf.no_op("pardnn_nothing")
        session.run(nothing)
        if job.get("run"):
            answer["stage"] = "run"
            answer["variables"] = initialise(loaded, session, set(placement), job["batch"])
            compare(step(loaded, session, placement, job["batch"]), placement, answer)
    except (tf.errors.OpError, ValueError, TypeError) as error:
        answer["error"] = str(error)[: job.get("chars", 600)]
    else:
        answer["stage"] = "done"
    answer["elsewhere"] = answer.get("elsewhere", [])[:_TOLD]
    return answer


def main() -> None:
    """Answer the jobs on stdin, one JSON object a line as they are done."""
    for job in json.load(sys.stdin):
        print(json.dumps(work(job)), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    main()
