"""Flops and traffic of each family of ops, worked out by hand."""

import pytest

from pardnn.cost.record import Kernel, OpCost
from pardnn.cost.rule import estimate, rule_table
from pardnn.cost.tensor import UNKNOWN, Tensor
from pardnn.graph.raw import AttrValue, FunctionRef
from tests.cost.factories import HALF, INT32, RESOURCE, make_op, value

X = value(32, 56, 56, 64)
"""An image batch: 6,422,528 elements, 25,690,112 bytes."""
N = 32 * 56 * 56 * 64
SIZES = value(4, dtype=INT32)
HANDLE = value(dtype=RESOURCE)
ONES: AttrValue = (1, 1, 1, 1)


@pytest.mark.parametrize(
    ("kind", "inputs", "output", "attrs", "flops"),
    [
        ("MatMul", [value(8, 100), value(100, 10)], value(8, 10), {}, 2 * 8 * 100 * 10),
        ("MatMul", [value(100, 8), value(100, 10)], value(8, 10), {"transpose_a": True}, 2 * 8 * 100 * 10),
        ("MatMul", [UNKNOWN, value(100, 10)], value(8, 10), {}, 2 * 80 * 3),  # isqrt(1 * 1000 / 80) = 3
        ("BatchMatMulV2", [value(4, 3, 8, 5), value(4, 3, 5, 7)], value(4, 3, 8, 7), {}, 2 * 12 * 8 * 5 * 7),
        ("BatchMatMul", [value(9, 5, 8), value(9, 5, 7)], value(9, 8, 7), {"adj_x": True}, 2 * 9 * 8 * 5 * 7),
        ("Einsum", [value(2, 8, 5), value(5, 3, 7)], value(2, 8, 3, 7), {"equation": b"bsd,dnh->bsnh"}, 160 * 21),
        ("Einsum", [value(2, 8, 5), value(5, 7)], value(2, 8, 7), {"equation": b"...d,dh->...h"}, 2 * 16 * 5 * 7),
        ("Conv2D", [X, value(3, 3, 64, 128)], value(32, 28, 28, 128), {"strides": (1, 2, 2, 1)}, 2 * 3211264 * 576),
        ("Conv2D", [X, value(3, 3, 16, 64)], X, {"strides": ONES}, 2 * N * 9 * 16),  # four groups
        ("Conv2DBackpropInput", [SIZES, value(3, 3, 64, 128), value(32, 28, 28, 128)], X, {}, 2 * 3211264 * 576),
        ("Conv2DBackpropFilter", [X, SIZES, value(32, 28, 28, 128)], value(3, 3, 64, 128), {}, 2 * 3211264 * 576),
        ("Conv3D", [value(2, 8, 8, 8, 3), value(3, 3, 3, 3, 16)], value(2, 8, 8, 8, 16), {}, 2 * 16384 * 81),
        ("DepthwiseConv2dNative", [X, value(3, 3, 64, 1)], X, {}, 2 * N * 9),
        ("DepthwiseConv2dNativeBackpropFilter", [X, SIZES, X], value(3, 3, 64, 1), {}, 2 * N * 9),
        ("CudnnRNN", [value(20, 8, 64), value(2, 8, 64), value(), value(66560)], value(20, 8, 64), {}, 320 * 66560),
        ("CudnnRNNBackpropV3", [value(20, 8, 64), value(2, 8, 64), value(), value(66560)], X, {}, 640 * 66560),
        ("LSTMBlockCell", [value(8, 16), value(8, 32), value(), value(48, 128)], value(8, 32), {}, 16 * 48 * 128),
        ("BlockLSTM", [value(), value(5, 8, 16), value(), value(), value(48, 128)], value(5, 8, 32), {}, 80 * 48 * 128),
        ("GRUBlockCell", [value(8, 16), value(8, 32), value(48, 64), value(48, 32)], value(8, 32), {}, 2 * 8 * 48 * 96),
        ("FusedBatchNorm", [X, value(64), value(64)], X, {"is_training": True}, 10 * N),
        ("FusedBatchNormGradV3", [X, X, value(64)], X, {}, 11 * N),
        ("LRN", [X], X, {"depth_radius": 2}, 10 * N),
        ("Sum", [X, SIZES], value(64), {}, N),
        ("BiasAddGrad", [X], value(64), {}, N),
        ("Relu", [X], X, {}, N),
        ("Tanh", [X], X, {}, 10 * N),
        ("AddN", [X, X, X], X, {}, 2 * N),
        ("Softmax", [value(32, 1000)], value(32, 1000), {}, 15 * 32000),
        ("MaxPool", [X], value(32, 28, 28, 64), {"ksize": (1, 3, 3, 1)}, 1605632 * 9),
        ("MaxPoolGrad", [X, value(32, 28, 28, 64), value(32, 28, 28, 64)], X, {"ksize": (1, 2, 2, 1)}, 1605632 * 4),
        ("UnsortedSegmentSum", [value(64, 128), value(64, dtype=INT32), value()], value(5000, 128), {}, 8192),
        ("ResourceApplyAdam", [HANDLE] * 3 + [value()] * 6 + [value(1000)], value(0), {}, 12000),
        ("StatelessRandomUniformV2", [value(2)], value(100), {}, 3000),
        ("GatherV2", [value(30000, 512), value(640, dtype=INT32), value()], value(640, 512), {}, 0),
        ("Transpose", [X, SIZES], X, {}, 0),
    ],
)  # fmt: skip
def test_flops(kind: str, inputs: list[Tensor], output: Tensor, attrs: dict[str, AttrValue], flops: int) -> None:
    assert estimate(make_op(kind, inputs, output, **attrs)).flops == flops


def traffic(cost: OpCost) -> tuple[int, int]:
    return cost.bytes_read, cost.bytes_written


def test_a_kernel_reads_its_inputs_and_writes_its_outputs() -> None:
    assert traffic(estimate(make_op("AddV2", [X, X], X))) == (8 * N, 4 * N)


def test_a_look_up_reads_its_rows_not_the_table() -> None:
    cost = estimate(make_op("ResourceGather", [HANDLE, value(640, dtype=INT32)], value(640, 512)))
    assert traffic(cost) == (640 * 512 * 4 + 640 * 4, 640 * 512 * 4)
    assert traffic(estimate(make_op("StridedSlice", [X, SIZES, SIZES, SIZES], value(10)))) == (40, 40)


def test_batch_norm_passes_over_its_input_twice_in_training_only() -> None:
    inputs = [X, value(64), value(64)]
    assert estimate(make_op("FusedBatchNormV3", inputs, X, is_training=True)).bytes_read == 2 * X.bytes + 512
    assert estimate(make_op("FusedBatchNormV3", inputs, X, is_training=False)).bytes_read == X.bytes + 512


@pytest.mark.parametrize(("optimiser", "slots"), [("GradientDescent", 0), ("Momentum", 1), ("Adam", 2)])
def test_an_update_touches_variable_and_slots_once_each_way(optimiser: str, slots: int) -> None:
    gradient = value(1000)
    cost = estimate(make_op(f"ResourceApply{optimiser}", [HANDLE, value(), gradient]))
    assert traffic(cost) == ((2 + slots) * 4000, (1 + slots) * 4000)
    assert cost.output_bytes == 0


def test_what_holds_names_or_routes_runs_no_kernel() -> None:
    for kind in (
        "Reshape",
        "Identity",
        "Const",
        "Shape",
        "NoOp",
        "VarHandleOp",
        "ReadVariableOp",
        "Switch",
        "NextIteration",
    ):
        assert estimate(make_op(kind, [X], X)) == OpCost((), X.bytes)


def test_the_kind_of_a_convolution_follows_its_shape() -> None:
    def kind(filter_: Tensor, stride: int) -> str:
        return estimate(make_op("Conv2D", [X, filter_], X, strides=(1, stride, stride, 1))).kernels[0].kind

    assert kind(value(3, 3, 64, 64), 1) == "winograd"
    assert kind(value(3, 3, 64, 64), 2) == "conv"
    assert kind(value(3, 3, 3, 64), 1) == "conv"
    assert kind(value(1, 1, 64, 64), 1) == "matmul"
    assert kind(value(1, 1, 64, 64), 2) == "conv"


def test_only_spatial_convolutions_take_scratch_and_not_without_limit() -> None:
    def temp(filter_: Tensor, x: Tensor) -> int:
        return estimate(make_op("Conv2D", [x, filter_], x, strides=ONES)).temp_bytes

    small = value(1, 8, 8, 64)
    assert temp(value(1, 1, 64, 64), X) == 0
    assert temp(value(3, 3, 64, 64), small) == 2 * small.bytes + 3 * 3 * 64 * 64 * 4
    assert temp(value(3, 3, 64, 64), value(512, 56, 56, 64)) == 64 * 2**20


def test_the_precision_is_that_of_the_floats() -> None:
    assert (
        estimate(make_op("MatMul", [value(8, 8, dtype=HALF)] * 2, value(8, 8, dtype=HALF))).kernels[0].precision
        == "half"
    )
    assert estimate(make_op("Cast", [value(8, dtype=HALF)], value(8))).kernels[0].precision == "single"


def test_an_einsum_that_keeps_a_shared_label_is_batched() -> None:
    batched = make_op("Einsum", [value(2, 8, 5), value(2, 5, 7)], value(2, 8, 7), equation=b"bsd,bdh->bsh")
    plain = make_op("Einsum", [value(2, 8, 5), value(5, 7)], value(2, 8, 7), equation=b"bsd,dh->bsh")
    assert [estimate(op).kernels[0].kind for op in (batched, plain)] == ["batched", "matmul"]


def test_an_unknown_op_costs_its_traffic_and_says_so() -> None:
    cost = estimate(make_op("HorovodAllreduce", [X], X))
    assert cost.kernels == (Kernel("copy", 0, X.bytes, X.bytes),)
    assert cost.source == "default"


def test_a_call_costs_its_body_and_a_branch_its_dearest() -> None:
    cheap = OpCost((Kernel("copy", 0, 10, 10),), output_bytes=100, temp_bytes=7)
    dear = OpCost((Kernel("matmul", 1000, 10, 10),), output_bytes=30)
    bodies = {"cheap": cheap, "dear": dear}
    one = make_op("PartitionedCall", [X], value(5), f=FunctionRef("cheap"))
    one.bodies = bodies
    assert estimate(one) == OpCost(cheap.kernels, 20, 7 + 80)
    both = make_op("If", [X], value(5), then_branch=FunctionRef("cheap"), else_branch=FunctionRef("dear"))
    both.bodies = bodies
    assert estimate(both).flops == 1000
    loop = make_op("While", [X], X, cond=FunctionRef("cheap"), body=FunctionRef("dear"))
    loop.bodies = bodies
    assert estimate(loop).kernels == dear.kernels + cheap.kernels
    unknown = make_op("While", [X], X, body=FunctionRef("missing"))
    assert estimate(unknown).source == "default"


@pytest.mark.parametrize("kind", sorted(rule_table()))
def test_every_rule_survives_an_op_of_which_nothing_is_known(kind: str) -> None:
    for op in (make_op(kind, []), make_op(kind, [UNKNOWN], UNKNOWN), make_op(kind, [value(0)] * 12, value(0))):
        cost = estimate(op)
        assert min(cost.flops, cost.bytes_read, cost.bytes_written, cost.output_bytes, cost.temp_bytes) >= 0
        assert all(kernel.launches >= 1 for kernel in cost.kernels)
