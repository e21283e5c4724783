"""The GraphDef in a graph file, as TensorFlow has it: for files that are to run, not only to be read."""

from __future__ import annotations

from typing import Any

from pardnn.graph.raw import Source
from pardnn.placers.trace import become_variable


def message_of(source: Source, data: bytes) -> Any:
    """The GraphDef in a file's data; of a SavedModel the first.

    A traced function's variables, which it takes as arguments, become ops that make them.
    """
    from google.protobuf import text_format
    from tensorflow.core.framework import graph_pb2
    from tensorflow.core.protobuf import meta_graph_pb2, saved_model_pb2

    kinds: dict[str, Any] = {
        "GraphDef": graph_pb2.GraphDef,
        "MetaGraphDef": meta_graph_pb2.MetaGraphDef,
        "SavedModel": saved_model_pb2.SavedModel,
    }
    message = kinds[source.kind]()
    if source.text:
        text_format.Parse(data.decode("utf-8-sig"), message, allow_unknown_field=True)
    else:
        message.ParseFromString(data)
    if source.kind == "SavedModel":
        message = message.meta_graphs[0]
    message = message if source.kind == "GraphDef" else message.graph_def
    _make_variables(message)
    return message


def _make_variables(message: Any) -> None:
    from tensorflow.core.framework import types_pb2

    reads = {node.input[0]: node for node in message.node if node.op == "ReadVariableOp" and node.input}
    for node in message.node:
        handle = node.op == "Placeholder" and node.attr["dtype"].type == types_pb2.DT_RESOURCE
        if handle and node.name in reads:
            read = reads[node.name]
            shapes = read.attr["_output_shapes"].list.shape
            become_variable(node, read.attr["dtype"].type, shapes[0] if shapes else None)
