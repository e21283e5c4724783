"""Reads graph files with TensorFlow's own definitions and compares: `python -m tests.readers.protobuf_oracle FILE...`.

Prints "equal" or the first difference, a line per file. Ours is used before TensorFlow is; with `--after`, after it.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import Any

from pardnn.graph.raw import AttrValue, DType, FunctionRef, RawFunction, RawNode, Shape, TensorInfo
from pardnn.readers import read_graph


def attr_of(message: Any) -> AttrValue | None:
    """An attribute from TensorFlow's message."""
    kind = message.WhichOneof("value")
    if kind is None:
        return None
    if kind == "list":
        names = ("s", "i", "f", "b", "type", "shape", "tensor", "func")
        return tuple(one_of(name, value) for name in names for value in getattr(message.list, name))
    return one_of(kind, getattr(message, kind))


def one_of(kind: str, value: Any) -> AttrValue:
    """A single value."""
    if kind == "type":
        return DType(value)
    if kind == "shape":
        return shape_of(value)
    if kind == "func":
        return FunctionRef(value.name)
    return tensor_of(value) if kind == "tensor" else value


def shape_of(message: Any) -> Shape:
    """A shape."""
    return Shape(None if message.unknown_rank else tuple(dim.size for dim in message.dim))


def tensor_of(message: Any) -> TensorInfo:
    """A constant, its values from TensorFlow's own `make_ndarray`."""
    from tensorflow.python.framework.tensor_util import MakeNdarray

    shape = shape_of(message.tensor_shape)
    size = 1
    for dim in shape.dims or ():
        size *= dim
    small = shape.dims is not None and min(shape.dims, default=0) >= 0 and size <= 64
    if message.dtype not in (1, 3, 9, 10) or not small:
        return TensorInfo(DType(message.dtype), shape)
    return TensorInfo(DType(message.dtype), shape, tuple(MakeNdarray(message).ravel().tolist()))


def node_of(message: Any) -> RawNode:
    """A node."""
    attrs = {key: attr_of(value) for key, value in message.attr.items()}
    found = {key: value for key, value in attrs.items() if value is not None}
    return RawNode(message.name, message.op, tuple(message.input), message.device, found)


def function_of(message: Any) -> RawFunction:
    """A function."""
    attrs = {key: attr_of(value) for key, value in message.attr.items()}
    return RawFunction(
        message.signature.name,
        tuple(argument.name for argument in message.signature.input_arg),
        tuple(node_of(node) for node in message.node_def),
        dict(message.ret),
        {key: value for key, value in attrs.items() if value is not None},
        tuple(result.name for result in message.signature.output_arg),
        tuple(sorted(set(message.control_ret.values()))),
    )


def graph_of(path: str) -> Any:
    """TensorFlow's GraphDef."""
    from google.protobuf import text_format
    from tensorflow.core.framework import graph_pb2
    from tensorflow.core.protobuf import meta_graph_pb2, saved_model_pb2

    data = Path(path).read_bytes()
    data = gzip.decompress(data) if path.endswith(".gz") else data
    if "saved_model" in path:
        kind = saved_model_pb2.SavedModel
    else:
        kind = meta_graph_pb2.MetaGraphDef if path.endswith(".meta") else graph_pb2.GraphDef
    message = text_format.Parse(data.decode(), kind()) if "pbtxt" in path else kind.FromString(data)
    if "saved_model" in path:
        return message.meta_graphs[0].graph_def
    return message.graph_def if path.endswith(".meta") else message


def verdict(path: str) -> str:
    """Whether the two readers agree on a file."""
    ours, theirs = read_graph(path)[0], graph_of(path)
    if len(ours.nodes) != len(theirs.node) or len(ours.functions) != len(theirs.library.function):
        return "different numbers"
    pairs = [*zip(ours.nodes, map(node_of, theirs.node), strict=True)]
    functions = zip(ours.functions, map(function_of, theirs.library.function), strict=True)
    return next((f"{a} is not {b}" for a, b in (*pairs, *functions) if a != b), "equal")


if __name__ == "__main__":
    files = sys.argv[1:]
    if files[0] == "--after":
        import tensorflow as tf  # noqa: F401 - only for the order

        files = files[1:]
    else:
        read_graph(files[0])
    for file in files:
        print(Path(file).name, verdict(file))  # noqa: T201
