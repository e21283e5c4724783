"""New tensors of a shape that an input spells, and the tensors that hold shapes themselves."""

from __future__ import annotations

from collections.abc import Sequence

from pardnn.graph.shape_rules.dims import SCALAR, UNKNOWN, Dims, broadcast, counted, from_value
from pardnn.graph.shape_rules.rule import Call, shape_rule
from pardnn.graph.shape_rules.value_arrays import gradient_axes


@shape_rule(
    "Fill", "Empty", "RandomUniform", "RandomStandardNormal", "TruncatedNormal", "RandomUniformInt",
    "ParameterizedTruncatedNormal", "StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal",
    "StatelessRandomUniformV2", "StatelessRandomNormalV2", "StatelessTruncatedNormalV2", "StatelessRandomUniformInt",
    "StatelessRandomUniformIntV2", "StatelessRandomUniformFullInt", "StatelessRandomUniformFullIntV2",
"StridedSliceGrad", "SparseToDense", "Multinomial", )  # fmt: skip
def spelled_first(call: Call) -> Sequence[Dims]:
    """The shape that an input spells: the first, of SparseToDense the second."""
    if call.op == "Multinomial":
        dims, samples = call.shape(0), call.scalar(1)
        return [((dims or (UNKNOWN,))[0], counted(samples))]
    i = 1 if call.op == "SparseToDense" else 0
    return [from_value(call.value(i), call.shape(i))]


@shape_rule("BroadcastTo", "ImmutableConst")
def spelled_second(call: Call) -> Sequence[Dims]:
    """The shape that the second input spells."""
    return [from_value(call.value(1), call.shape(1))]


@shape_rule("StatelessRandomGetKeyCounter", "StatelessRandomGetKeyCounterAlg")
def random_state(_: Call) -> Sequence[Dims]:
    """(key, counter, algorithm) of the generator that TensorFlow uses: Philox."""
    return [(1,), (2,), SCALAR]


@shape_rule("Shape")
def shape(call: Call) -> Sequence[Dims]:
    """As many numbers as the input has dimensions."""
    dims = call.shape(0)
    return [(UNKNOWN if dims is None else len(dims),)]


@shape_rule("ShapeN")
def shapes(call: Call) -> Sequence[Dims]:
    """As Shape, for each input."""
    return [(UNKNOWN if dims is None else len(dims),) for dims in call.shapes]


@shape_rule("ConcatOffset")
def offsets(call: Call) -> Sequence[Dims]:
    """Like the shapes that are to be joined."""
    return call.shapes[1:]


@shape_rule("BroadcastArgs")
def broadcast_args(call: Call) -> Sequence[Dims]:
    """As many numbers as the longer of two shapes."""
    a, b = call.shape(0), call.shape(1)
    return [(UNKNOWN if not a or not b or min(a[0], b[0]) < 0 else max(a[0], b[0]),)]


@shape_rule("BroadcastGradientArgs")
def broadcast_gradient(call: Call) -> Sequence[Dims]:
    """The axes to sum over; how many is known where both shapes are, see the value rule."""
    return [(UNKNOWN,) if axes is None else (len(axes),) for axes in gradient_axes(call)]


@shape_rule("Range")
def number_range(call: Call) -> Sequence[Dims]:
    """[start, limit) in steps."""
    start, limit, step = call.scalar(0), call.scalar(1), call.scalar(2)
    if start is None or limit is None or not step:
        return [(UNKNOWN,)]
    return [(max(-((start - limit) // step), 0),)]


@shape_rule("LinSpace")
def linspace(call: Call) -> Sequence[Dims]:
    """As many numbers as asked for."""
    return [from_value(call.value(2)) or (UNKNOWN,)]


@shape_rule("Diag", "MatrixDiag")
def diagonal(call: Call) -> Sequence[Dims]:
    """A matrix around the vector."""
    dims = call.shape(0)
    if dims is None:
        return [None]
    return [dims + dims] if call.op == "Diag" else [(*dims, *dims[-1:])]


@shape_rule("Meshgrid", "BroadcastDynamicShape")
def wide_args(call: Call) -> Sequence[Dims]:
    """All inputs broadcast."""
    return [broadcast(call.shapes)] * call.outputs


@shape_rule("StringJoin", "AsString", "ReadFile", "DecodeRaw", "Timestamp")
def text(call: Call) -> Sequence[Dims]:
    """One string or number for each of the inputs."""
    return [broadcast(call.shapes) if call.shapes else SCALAR]
