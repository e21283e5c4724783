from pardnn.cost.record import Kernel, OpCost
from pardnn.cost.tensor import tensor
from pardnn.graph.raw import DType, Shape


def test_costs_add_up_and_the_less_certain_source_stays() -> None:
    a = OpCost((Kernel("matmul", 10, 1, 2),), 100, 30, 5, "roofline")
    b = OpCost((Kernel("copy", 1, 3, 4),), 200, 20, 6, "default")
    both = a + b
    assert (both.flops, both.bytes_read, both.bytes_written) == (11, 4, 6)
    assert (both.output_bytes, both.temp_bytes, both.resident_bytes, both.source) == (300, 30, 11, "default")


def test_tensor_sizes() -> None:
    assert tensor(DType(1), Shape((2, 3))).bytes == 24
    assert tensor(DType(19), Shape((2, 3))).bytes == 12
    assert tensor(DType(10), Shape(())).bytes == 1
    assert tensor(DType(101), Shape((5,))).reference
    assert tensor(DType(20), Shape(None)).handle
    assert tensor(DType(1), Shape((2**62, 2**62))).bytes == 2**50


def test_unknown_dimensions_and_ranks_count_as_one() -> None:
    assert tensor(DType(1), Shape((-1, 10)))[2:5] == (10, 40, False)
    assert tensor(DType(1), Shape(None))[2:5] == (1, 4, False)
    assert tensor(DType(20), Shape(None)).known
    assert tensor(DType(999), Shape((3,))).bytes == 12
