"""The shape of every output: as the file says, and by rules where it is silent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pardnn.graph.inference import Calls, Inference, is_open
from pardnn.graph.library import Library
from pardnn.graph.raw import DType, Shape
from pardnn.graph.shape_rules import Held
from pardnn.graph.shape_rules.dims import Dims, Value
from pardnn.graph.wiring import Wiring


class Fed(NamedTuple):
    """What an argument of a function is: its type, its shape, the numbers in it and what it refers to, where known."""

    dtype: DType
    dims: Dims
    value: Value | None
    held: Held | None


@dataclass(frozen=True)
class Inferred:
    """[n] shapes of each node's outputs; numbers in small integer tensors by (node, port); referents of handles.

    A node that was not asked for has no shapes.
    """

    shapes: tuple[tuple[Shape, ...], ...]
    values: Mapping[tuple[int, int], Value]
    held: Mapping[int, Held] = field(default_factory=dict)
    batched: bool = False
    """Whether the batch size has filled a gap."""

    @property
    def complete(self) -> bool:
        """Whether every rank and dimension is known."""
        return all(shape.known for shapes in self.shapes for shape in shapes)


def find_shapes(
    wiring: Wiring,
    order: NDArray[np.int32],
    dtypes: Sequence[Sequence[DType]],
    batch_size: int | None = None,
    known: Mapping[str, Sequence[Dims]] | None = None,
    library: Library | None = None,
    fed: Mapping[int, Fed] | None = None,
) -> Inferred:
    """Shapes by rules of the nodes in `order`, topological but for back edges; linear in their inputs. Others get none.

    What the file states stands (`_output_shapes`), then what is `known` from elsewhere, by op name; rules fill the
    gaps. With a batch size, an unknown leading dimension of what is fed is that size, and whatever follows from it.
    Where gaps remain, consumers tell producers what they know, and a second pass adds what follows, back edges and
    lists included. A call of a function in the library is shaped by its body. `fed`: what arguments are, by node.
    """
    nodes: list[int] = order.tolist()
    work = Inference(wiring, nodes, dtypes, batch_size, known or {}, Calls(library or Library(())))
    for v, given in (fed or {}).items():
        work.feed(v, given.dims, given.value, given.held)
    work.forward(nodes)
    if any(is_open(work.shapes[v]) for v in nodes):
        work.backward(nodes)
        work.forward(nodes)
    cache: dict[Dims, Shape] = {}
    shapes = tuple(
        tuple(cache[d] if d in cache else cache.setdefault(d, Shape(d)) for d in dims) for dims in work.shapes
    )
    return Inferred(shapes, work.values, work.held, work.batched)
