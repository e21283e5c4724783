"""Variables that a step writes without waiting for its data, as a step counter and the states of random seeds.

    iterator ──> next ──> forward ──> backward ──> update weights
                                                   count a step, draw a seed: wait for nothing

At the end of a dataset of unknown size TensorFlow begins a step for which there are no data: whatever has not run when
that shows is given up. What needs no data runs before that where it is on the iterator's device, as in a model that is
not placed; elsewhere it might and might not. So it belongs on the host.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pardnn.placers.trace import before, leading_to

_READS = frozenset({"ReadVariableOp", "VariableShape", "VarIsInitializedOp", "ResourceGather", "ResourceGatherNd"})
_SMALL = 64
"""Bytes of a variable that may sit on the host; whole weights, as weight decay writes them, are no counters."""


def unfed(graph: Any, variables: Mapping[str, Any]) -> list[str]:
    """The ops that write small ones of these variables, by argument, without data, and all that they wait for."""
    held = {placeholder.op for _, placeholder in graph.captures}
    large = {name for name, variable in variables.items() if _bytes(variable) > _SMALL}
    fed: set[Any] = set()
    found: dict[str, None] = {}
    for op in graph.get_operations():
        if (op.type == "Placeholder" and op not in held) or not fed.isdisjoint(before(op)):
            fed.add(op)
        elif op._is_stateful and op.type not in _READS and any(tensor.op.name in variables for tensor in op.inputs):
            behind = [other.name for other in leading_to([op])]
            if large.isdisjoint(behind):
                found.update(dict.fromkeys(behind))
    return list(found)


def _bytes(variable: Any) -> int:
    return int(variable.shape.num_elements() or 0) * int(variable.dtype.size)
