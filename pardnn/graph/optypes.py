"""The data types of what ops put out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pardnn.graph.kernels import REFERENCE, UNKNOWN, Output, facts
from pardnn.graph.raw import AttrValue, DType, RawNode
from pardnn.graph.wiring import MOST_OUTPUTS, Wiring


def output_dtypes(node: RawNode, at_least: int) -> tuple[DType, ...]:
    """The data type of each output, reference types as in TensorFlow (> 100); UNKNOWN where nothing says it.

    A custom op is taken to have the outputs its consumers name (`at_least`), of the type its T or dtype says.
    """
    known = facts(node.op)
    found: list[DType] = []
    if known is not None:
        for output in known.outputs:
            found += _types_of(output, node.attrs, known.types)
    if len(found) < at_least:
        guess = node.attrs.get("T", node.attrs.get("dtype"))
        found += [guess if isinstance(guess, DType) else UNKNOWN] * (at_least - len(found))
    return tuple(found)


def all_dtypes(wiring: Wiring, results: Sequence[tuple[int, int]] = ()) -> tuple[tuple[DType, ...], ...]:
    """[n] every node's output types; a custom op has as many as consumers name or the file gives shapes of.

    `results`: what a function's caller consumes, as (node, port).
    """
    outputs = np.zeros(wiring.n, np.int64)
    np.maximum.at(outputs, wiring.src, wiring.port + 1)
    for v, port in results:
        outputs[v] = max(outputs[v], port + 1)
    found = []
    for node, count in zip(wiring.nodes, outputs.tolist(), strict=True):
        stated = node.attrs.get("_output_shapes") if facts(node.op) is None else None
        found.append(output_dtypes(node, max(count, len(stated) if isinstance(stated, tuple) else 0)))
    return tuple(found)


def count_of(output: Output, node: RawNode, defaults: Mapping[str, DType]) -> int:
    """How many tensors an output argument is."""
    return len(_types_of(output, node.attrs, defaults))


def _types_of(output: Output, attrs: Mapping[str, AttrValue], defaults: Mapping[str, DType]) -> list[DType]:
    if output.kind is None:
        kind: AttrValue = output.fixed
    else:
        kind = attrs.get(output.kind, defaults.get(output.kind, UNKNOWN))
    if output.many:
        return [item for item in kind if isinstance(item, DType)] if isinstance(kind, tuple) else []
    one = kind if isinstance(kind, DType) else UNKNOWN
    if output.reference:
        one = DType(one + REFERENCE)
    count = 1 if output.count is None else attrs.get(output.count, 1)
    return [one] * (min(max(count, 0), MOST_OUTPUTS) if isinstance(count, int) else 1)
