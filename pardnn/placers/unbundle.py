"""Ops that only pass many tensors on together, taken out of a traced step's way.

    grad a ──┐             ┌──> update a        grad a ──> update a
    grad b ──┤  IdentityN  ├──> update b   =>   grad b ──> update b
    grad c ──┘             └──> update c        grad c ──> update c

Keras puts one round all gradients of a model: an op is on one device, so every gradient of a model that is spread over
several would go there and back. The values are the same without it; an update still waits for whatever it needs.
"""

from __future__ import annotations

from typing import Any


def unbundle(graph: Any) -> None:
    """Have the readers of every IdentityN read what it passes on. O(ops)."""
    for op in graph.get_operations():
        if op.type == "IdentityN":
            for passed, output in zip(op.inputs, op.outputs, strict=True):
                _redirect(output, passed)


def _redirect(old: Any, new: Any) -> None:
    for reader in old.consumers():
        for position, tensor in enumerate(reader.inputs):
            if tensor is old:
                reader._update_input(position, new)
