"""Ops that only pass many tensors on together, taken out of a traced step's way.

    grad a ──┐             ┌──> update a        grad a ──> update a
    grad b ──┤  IdentityN  ├──> update b   =>   grad b ──> update b
    grad c ──┘             └──> update c        grad c ──> update c

Keras puts one round all gradients of a model: an op is on one device, so every gradient of a model that is spread over
several would go there and back. The values are the same without it; an update still waits for whatever it needs. But
such an op can have a gradient of its own (`tf.custom_gradient` makes it so, and Keras's is one): where it leads to a
result, which may be differentiated after it is placed, it stays.
"""

from __future__ import annotations

from typing import Any

from pardnn.placers.trace import made_of

_GRADIENT = "_gradient_op_type"


def unbundle(graph: Any, results: Any) -> None:
    """Have the readers of IdentityN read what it passes on; the graph's function returns these results. O(ops)."""
    differentiable = _leading_to(made_of(graph, results))
    for op in graph.get_operations():
        if op.type == "IdentityN" and not (op in differentiable and _GRADIENT in op.node_def.attr):
            for passed, output in zip(op.inputs, op.outputs, strict=True):
                _redirect(output, passed)


def _leading_to(ops: list[Any]) -> set[Any]:
    """The ops whose values these are made of, and these."""
    found = set(ops)
    todo = list(found)
    while todo:
        before = {tensor.op for tensor in todo.pop().inputs} - found
        found |= before
        todo += before
    return found


def _redirect(old: Any, new: Any) -> None:
    for reader in old.consumers():
        for position, tensor in enumerate(reader.inputs):
            if tensor is old:
                reader._update_input(position, new)
