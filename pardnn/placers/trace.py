"""A traced TensorFlow function: the graph to plan for, and the planned devices put on its ops.

    FuncGraph ──> GraphDef, captured variables as the ops that make them ──> devices by op name ──> FuncGraph

What differs between the two is undone on the way back: an op that makes a variable here is an argument there.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from pardnn.graph.library import CALLERS
from pardnn.placers.inner import have_call, have_wait, put_on

Kind = Literal["train", "test", "predict"]
"""What a step is for."""
MAIN: Kind = "train"
CALLED: dict[Kind, str] = {"train": "fit", "test": "evaluate", "predict": "predict"}
"""The method of a model that runs steps of each kind."""
_FUNCTIONS = ("body", "cond", "then_branch", "else_branch", "f")
"""Attributes of callers that name a function of the library."""
_BRANCHES = "branches"
"""The attribute that names several."""
_numbers = itertools.count(1)  # TensorFlow keeps functions by name in one table for the whole process


@dataclass(frozen=True)
class Devices:
    """Where ops go, by name: those of the graph, and (function -> node -> device) those in bodies of calls."""

    ops: Mapping[str, str]
    bodies: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    control_edges: tuple[tuple[str, str], ...] = ()
    """Pairs of ops of which the second is to wait for the first."""

    def renamed(self, real: Mapping[str, str]) -> Devices:
        """The same with other names for the devices."""
        return Devices(
            {op: real[device] for op, device in self.ops.items()},
            {f: {node: real[device] for node, device in nodes.items()} for f, nodes in self.bodies.items()},
            self.control_edges,
        )


@dataclass(frozen=True)
class Step:
    """A traced step, to be planned."""

    graph: Any
    """A GraphDef that stands alone."""
    targets: tuple[str, ...]
    batch: int | None
    """Examples in a step, where that is known."""
    settled: Mapping[str, str] = field(default_factory=dict)
    """Where variables are that a plan has moved already, by op name."""
    kind: Kind = MAIN


def definition(graph: Any) -> Any:
    """The GraphDef of a traced step that stands alone: each captured variable is the VarHandleOp that makes it."""
    message = graph.as_graph_def(add_shapes=True)
    nodes = {node.name: node for node in message.node}
    for handle, placeholder in graph.captures:
        made = held_by(handle)
        if made is not None:
            become_variable(nodes[placeholder.op.name], made.dtype, made.shape)
    return message


def held_by(handle: Any) -> Any:
    """What a captured handle's variable holds; None of anything but a variable."""
    from tensorflow import resource

    data = getattr(handle, "_handle_data", None)
    if handle.dtype != resource or data is None or len(data.shape_and_type) != 1:
        return None
    return data.shape_and_type[0]


def become_variable(node: Any, dtype: int, shape: Any) -> None:
    """Make the NodeDef of an argument that is a variable's handle the op that makes the variable; shape None = open."""
    for attr in [name for name in node.attr if name != "_output_shapes"]:
        del node.attr[attr]
    node.op = "VarHandleOp"
    node.attr["dtype"].type = dtype
    if shape is not None:
        node.attr["shape"].shape.CopyFrom(shape)
    node.attr["shared_name"].s = node.name.encode()


def ends(graph: Any, results: Any) -> tuple[str, ...]:
    """The last of the ops that run: those have an effect, or lead to one or to a tensor in `results`.

    TensorFlow drops the others of a function, such as the gradient with respect to a batch, which nobody asked for.
    """
    wanted = made_of(graph, results)
    wanted += [placeholder.op for _, placeholder in graph.captures]
    wanted += [op for op in graph.get_operations() if op._is_stateful]
    live = leading_to(wanted)
    awaited = {other for op in live for other in before(op)}
    return tuple(op.name for op in graph.get_operations() if op in live and op not in awaited)


def made_of(graph: Any, results: Any) -> list[Any]:
    """The ops of a graph that make the tensors in what its function returns."""
    import tensorflow as tf

    tensors = (leaf for leaf in tf.nest.flatten(results, expand_composites=True) if tf.is_tensor(leaf))
    return [leaf.op for leaf in tensors if getattr(leaf, "graph", None) is graph]


def before(op: Any) -> list[Any]:
    """The ops that an op waits for."""
    return [*makers(op), *op.control_inputs]


def makers(op: Any) -> list[Any]:
    """The ops that make what an op reads."""
    return [tensor.op for tensor in op.inputs]


def leading_to(ops: Iterable[Any], back: Callable[[Any], list[Any]] = before) -> set[Any]:
    """These ops and all behind them; `back` says which are right before an op."""
    found = set(ops)
    todo = list(found)
    while todo:
        new = set(back(todo.pop())) - found
        found |= new
        todo += new
    return found


def set_devices(graph: Any, devices: Devices) -> None:
    """Put every op of a graph that is being traced on its device, those in bodies of calls included.

    An argument stays where its value is. An op in a body without a device of its own runs where its caller runs.
    """
    placed = _Bodies(graph, devices.bodies)
    for op in graph.get_operations():
        if op.type == "Placeholder":
            continue
        if device := devices.ops.get(op.name):
            put_on(op, device)
        if op.type in CALLERS:
            node = op.node_def
            for attr in placed.into(node):
                value = node.attr[attr]
                have_call(op, attr, [one.name for one in value.list.func] if attr == _BRANCHES else value.func.name)


def set_order(graph: Any, edges: Sequence[tuple[str, str]]) -> None:
    """Have the second op of each pair wait for the first."""
    for first, then in edges:
        have_wait(graph.get_operation_by_name(then), graph.get_operation_by_name(first))


def follow_inputs(graph: Any) -> None:
    """Ops that are traced from now on run where their first input is: tracing ends with an Identity per result."""
    graph._add_device_to_stack(lambda op: next((text.op.device for text in op.inputs), "") or op.device)


def place_dropped(graph: Any) -> None:
    """Give ops that are in no plan a device too: that of an input, else of any op. They do not run."""
    operations = [op for op in graph.get_operations() if op.type != "Placeholder"]
    some = next((op.device for op in operations if op.device), "")
    for op in operations:
        if not op.device:
            put_on(op, next((tensor.op.device for tensor in op.inputs if tensor.op.device), some))


def without_device(graph: Any) -> list[str]:
    """The ops of a graph that have no device; arguments need none."""
    return [op.name for op in graph.get_operations() if op.type != "Placeholder" and not op.device]


def _called(node: Any) -> Iterator[tuple[str, Any]]:
    """(attribute, the message in it that names a function) of what an op runs."""
    for attr in _FUNCTIONS:
        if attr in node.attr and node.attr[attr].func.name:
            yield attr, node.attr[attr].func
    if _BRANCHES in node.attr:
        yield from ((_BRANCHES, function) for function in node.attr[_BRANCHES].list.func)


class _Bodies:
    """The functions of a graph with devices in them; those in which nothing has one of its own stay as they are."""

    def __init__(self, graph: Any, devices: Mapping[str, Mapping[str, str]]) -> None:
        self._graph = graph
        self._devices = devices
        self._placed: dict[str, str] = {}

    def into(self, node: Any) -> list[str]:
        """Make an op's NodeDef name the functions to call. Returns the attributes that changed."""
        changed: dict[str, None] = {}
        for attr, function in _called(node):
            placed = self.of(function.name)
            if placed != function.name:
                function.name = placed
                changed[attr] = None
        return list(changed)

    def of(self, name: str) -> str:
        """The name of the function to call in place of `name`."""
        if name not in self._placed:
            self._placed[name] = name  # a function that calls itself keeps calling itself
            self._placed[name] = self._copied(name)
        return self._placed[name]

    @cached_property
    def _imported(self) -> Mapping[str, Any]:
        """The functions that came with an imported graph, which TensorFlow can hand out in no other way."""
        return {function.signature.name: function for function in self._graph.as_graph_def().library.function}

    def _copied(self, name: str) -> str:
        from tensorflow.python.eager.polymorphic_function import atomic_function

        function = self._graph._get_function(name)
        if function is None:
            return name
        own = self._devices.get(name, {})
        definition = function.definition if hasattr(function, "function_type") else self._imported[name]
        copy = type(definition)()
        copy.CopyFrom(definition)
        changed = bool(own)
        for node in copy.node_def:
            node.device = own.get(node.name, node.device)
            changed |= bool(self.into(node))
        if not changed:
            return name
        copy.signature.name = f"{name}_placed_{next(_numbers)}"
        kind = getattr(function, "function_type", None)
        self._graph._add_function(atomic_function.from_function_def(copy, kind))
        return str(copy.signature.name)
