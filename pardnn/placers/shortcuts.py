"""Ops of a traced step that only hand values on, taken out of the way of its placement.

    grad a ──┐             ┌──> update a        grad a ──> update a        rate ──┬──> read ──> update a
    grad b ──┤  IdentityN  ├──> update b   =>   grad b ──> update b              └──> read ──> update b
    grad c ──┘             └──> update c        grad c ──> update c    =>  rate ──> read ──┬──> update a
                                                                                           └──> update b

Keras puts one IdentityN round all gradients of a model: an op is on one device, so every gradient of a model that is
spread over several would go there and back. And it reads the learning rate once per weight: each would be a transfer of
its own. The values are the same without; an update still waits for whatever it needs. What leads to a result of the
function stays as it is, for that may be differentiated later: an IdentityN of `tf.custom_gradient` has a gradient of
its own, and gradients of several reads add up in their order.
"""

from __future__ import annotations

from typing import Any

from pardnn.placers.trace import leading_to, made_of, makers

_GRADIENT = "_gradient_op_type"


def take_shortcuts(graph: Any, results: Any) -> None:
    """Rewire a graph whose function returns these results. O(ops)."""
    differentiable = leading_to(made_of(graph, results), makers)
    read: dict[Any, Any] = {}  # by handle, what was read of it since it was written
    for op in graph.get_operations():
        if op.type == "IdentityN" and not (op in differentiable and _GRADIENT in op.node_def.attr):
            for passed, output in zip(op.inputs, op.outputs, strict=True):
                _redirect(output, passed)
        elif op.type == "ReadVariableOp":
            first = read.setdefault(op.inputs[0].ref(), op.outputs[0])
            if op not in differentiable and first is not op.outputs[0]:
                _redirect(op.outputs[0], first)
        elif op._is_stateful:  # TensorFlow keeps what is done to a variable in the order in which it was traced
            for tensor in op.inputs:
                read.pop(tensor.ref(), None)


def _redirect(old: Any, new: Any) -> None:
    for reader in old.consumers():
        for position, tensor in enumerate(reader.inputs):
            if tensor is old:
                reader._update_input(position, new)
