"""Shapes by TensorFlow's own inference, where it is installed; the only module here that imports tensorflow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from pardnn.errors import one_line
from pardnn.graph.inference import FED
from pardnn.graph.kernels import REFERENCE, UNKNOWN
from pardnn.graph.raw import AttrValue, DType, FunctionRef, RawNode, Shape, TensorInfo
from pardnn.graph.shape_rules.dims import Dims
from pardnn.graph.wiring import Wiring

_PRODUCER = 25
"""The graph version under which nodes are read: old ops are still allowed, a placeholder's shape is what it says."""
_FLOAT = DType(1)
_NODE = "node_"


def infer(
    wiring: Wiring, dtypes: Sequence[Sequence[DType]], batch_size: int | None = None
) -> tuple[dict[str, list[Dims]], str | None]:
    """(shapes of the outputs by op name, note); without TensorFlow, or where it refuses the graph, none and the reason.

    Custom ops and calls of functions are put in as placeholders, so what follows them stays open and the rest does not.
    With a batch size, an unknown leading dimension of what is fed (`FED`) is that size.
    """
    if find_spec("tensorflow") is None:
        return {}, "tensorflow is not installed: shapes that the file lacks are inferred by our own rules"
    import tensorflow as tf

    graph = tf.Graph()
    try:
        with graph.as_default():
            tf.graph_util.import_graph_def(_graph_def(wiring, dtypes, batch_size), name="")
    except (ValueError, TypeError, tf.errors.OpError) as error:
        reason = one_line(error, 200)
        return {}, f"TensorFlow does not take the graph ({reason}): shapes are inferred by our own rules"
    return {
        wiring.nodes[int(operation.name[len(_NODE) :])].name: [_dims(tensor.shape) for tensor in operation.outputs]
        for operation in graph.get_operations()
        if operation.name.startswith(_NODE)
    }, None


def _dims(shape: Any) -> Dims:
    return None if shape.rank is None else tuple(-1 if size is None else int(size) for size in shape.as_list())


def _graph_def(wiring: Wiring, dtypes: Sequence[Sequence[DType]], batch_size: int | None) -> Any:
    """The graph with nodes called by number, for TensorFlow itself writes names that it does not accept again."""
    from tensorflow.core.framework import graph_pb2

    graph = graph_pb2.GraphDef()
    graph.versions.producer = _PRODUCER
    whole = [_importable(node) for node in wiring.nodes]
    for v, node in enumerate(wiring.nodes):
        if not whole[v]:
            _stand_in(graph, v, dtypes[v])
            continue
        made = graph.node.add(name=f"{_NODE}{v}", op=node.op)
        made.input.extend(f"{_NODE}{u}:{port}" if whole[u] else _stand_for(u, port) for u, port in wiring.inputs[v])
        waits = [wiring.index[text[1:]] for text in node.inputs if text.startswith("^")]
        made.input.extend(f"^{_NODE}{u}" if whole[u] else f"^{_stand_for(u, 0)}" for u in waits)
        given = node if batch_size is None or node.op not in FED else _with_batch(node, batch_size)
        for key, value in given.attrs.items():
            if not key.startswith("_"):
                _set(made.attr[key], value)
    return graph


def _importable(node: RawNode) -> bool:
    """Whether TensorFlow can take the node as it is: it has the op, and no function body is needed."""
    from tensorflow.python.framework import op_def_registry

    if node.op.startswith("_") or any(isinstance(value, FunctionRef) for value in node.attrs.values()):
        return False
    known = op_def_registry.get(node.op)
    return known is not None and not 0 < known.deprecation.version <= _PRODUCER


def _stand_for(v: int, port: int) -> str:
    return f"stand_in_{v}_{port}"


def _stand_in(graph: Any, v: int, dtypes: Sequence[DType]) -> None:
    """A placeholder for each output of a node that TensorFlow cannot take; without outputs, an op that does nothing."""
    if not dtypes:
        graph.node.add(name=_stand_for(v, 0), op="NoOp")
    for port, dtype in enumerate(dtypes):
        made = graph.node.add(name=_stand_for(v, port), op="Placeholder")
        plain = dtype - REFERENCE if dtype > REFERENCE else dtype
        made.attr["dtype"].type = _FLOAT if plain == UNKNOWN else plain
        made.attr["shape"].shape.unknown_rank = True


def _with_batch(node: RawNode, batch_size: int) -> RawNode:
    """The node with the batch in place of unknown leading dimensions of the shapes it declares."""

    def given(value: AttrValue) -> AttrValue:
        if isinstance(value, tuple):
            return tuple(given(item) for item in value)
        if isinstance(value, Shape) and value.dims and value.dims[0] < 0:
            return Shape((batch_size, *value.dims[1:]))
        return value

    attrs: Mapping[str, AttrValue] = {key: given(value) for key, value in node.attrs.items()}
    return replace(node, attrs=attrs)


def _set(attr: Any, value: AttrValue) -> None:
    """Fill an AttrValue message; the order of the tests matters, for a DType and a bool are ints."""
    if isinstance(value, tuple):
        attr.list.SetInParent()
        for item in value:
            _append(attr.list, item)
    elif isinstance(value, bool):
        attr.b = value
    elif isinstance(value, DType):
        attr.type = int(value)
    elif isinstance(value, int):
        attr.i = value
    elif isinstance(value, float):
        attr.f = value
    elif isinstance(value, bytes):
        attr.s = value
    elif isinstance(value, Shape):
        _shape(attr.shape, value)
    elif isinstance(value, TensorInfo):
        _tensor(attr.tensor, value)


def _append(items: Any, value: AttrValue) -> None:
    if isinstance(value, bool):
        items.b.append(value)
    elif isinstance(value, DType):
        items.type.append(int(value))
    elif isinstance(value, int):
        items.i.append(value)
    elif isinstance(value, float):
        items.f.append(value)
    elif isinstance(value, bytes):
        items.s.append(value)
    elif isinstance(value, Shape):
        _shape(items.shape.add(), value)


def _shape(message: Any, shape: Shape) -> None:
    if shape.dims is None:
        message.unknown_rank = True
        return
    message.SetInParent()
    for size in shape.dims:
        message.dim.add(size=size)


def _tensor(message: Any, tensor: TensorInfo) -> None:
    """The constant, its numbers only where a shape may depend on them: TensorFlow fills in zeros for the rest."""
    message.dtype = int(tensor.dtype)
    _shape(message.tensor_shape, tensor.shape)
    if tensor.values is None:
        return
    fields = {1: "float_val", 2: "double_val", 3: "int_val", 9: "int64_val", 10: "bool_val"}
    field = fields.get(tensor.dtype)
    if field is not None:
        getattr(message, field).extend(tensor.values)
