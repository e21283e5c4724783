"""The shape of every output: as the file says, and inferred where it is silent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pardnn.graph.raw import DType, RawGraph, Shape
from pardnn.graph.wiring import Wiring
from scheduler.dag import Dag


@dataclass(frozen=True)
class Inferred:
    """[n] the shapes of each node's outputs, the small integer tensors known, and one line on what was done."""

    shapes: tuple[tuple[Shape, ...], ...]
    values: dict[tuple[int, int], tuple[int | None, ...]]
    note: str | None


def find_shapes(
    raw: RawGraph,
    wiring: Wiring,
    dag: Dag,
    dtypes: Sequence[Sequence[DType]],
    batch_size: int | None,
    tensorflow: bool,
) -> Inferred:
    """Shapes as `_output_shapes` gives them."""
    shapes = []
    for node, types in zip(wiring.nodes, dtypes, strict=True):
        listed = node.attrs.get("_output_shapes", ())
        given = [item for item in listed if isinstance(item, Shape)] if isinstance(listed, tuple) else []
        shapes.append(tuple(given[: len(types)] + [Shape(None)] * (len(types) - len(given))))
    return Inferred(tuple(shapes), {}, None)
