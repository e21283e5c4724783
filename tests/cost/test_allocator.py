"""What the allocator counts beyond the tensors."""

import numpy as np

from pardnn.cost.allocator import LIMIT, held_bytes, workspace_bytes
from pardnn.cost.graph import GraphCosts
from pardnn.cost.op import Op
from pardnn.cost.record import OpCost
from pardnn.cost.tensor import FLOAT, tensor
from pardnn.graph.raw import DType, Shape


def op(kind: str, inputs: list[tuple[int, ...]], output: tuple[int, ...]) -> Op:
    made = [tensor(DType(FLOAT), Shape(shape)) for shape in (*inputs, output)]
    return Op(kind, {}, tuple(made[:-1]), (made[-1],))


def scratch(*ops: Op) -> list[int]:
    costs = GraphCosts(ops, (OpCost(),) * len(ops), ((),) * len(ops))
    return [int(size) for size in workspace_bytes(costs, np.full(len(ops), 7, np.int64), 2.0, 3.0)]


IMAGE, TAPS, MADE = (2, 8, 8, 16), (3, 3, 16, 32), (2, 8, 8, 32)


def test_a_convolution_takes_scratch_by_its_images_and_the_largest_filter() -> None:
    images, weights = 4 * (2 * 8 * 8 * 16 + 2 * 8 * 8 * 32), 4 * 9 * 16 * 32
    forward = op("Conv2D", [IMAGE, TAPS], MADE)
    assert scratch(forward) == [2 * images + 3 * weights]
    small = op("Conv2D", [(1, 2, 2, 1), (2, 2, 1, 1)], (1, 1, 1, 1))
    assert scratch(small, forward) == [2 * 4 * 5 + 3 * weights, 2 * images + 3 * weights]
    sizes = 4  # where its shapes come in as a tensor
    assert scratch(op("Conv2DBackpropInput", [(), TAPS, MADE], IMAGE)) == [2 * (images + sizes) + 3 * weights]
    assert scratch(op("Conv2DBackpropFilter", [IMAGE, (), MADE], TAPS)) == [2 * (images + sizes) + 3 * weights]


def test_a_1x1_filter_takes_none_and_other_ops_what_they_take() -> None:
    assert scratch(op("Conv2D", [IMAGE, (1, 1, 16, 32)], MADE), op("MatMul", [(2, 8), (8, 4)], (2, 4))) == [0, 7]


def test_scratch_ends_at_what_tensorflow_allows() -> None:
    image, taps = (4096, 512, 512, 16), (3, 3, 16, 16)
    assert scratch(op("Conv2D", [image, taps], image)) == [LIMIT]


def test_what_is_held_counts_in_whole_granules() -> None:
    assert held_bytes(np.array([0, 1, 256, 1000]), 1.5).tolist() == [0, 256, 512, 1536]
