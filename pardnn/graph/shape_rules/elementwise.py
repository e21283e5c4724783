"""Ops that work element by element: the output is shaped like the inputs, broadcast where the op does that."""

from __future__ import annotations

from collections.abc import Sequence

from pardnn.graph.shape_rules.dims import Dims, broadcast, merged
from pardnn.graph.shape_rules.rule import Call, shape_rule

LIKE_FIRST = """
    Abs Acos Acosh Angle Asin Asinh Atan Atanh BesselI0e BesselI1e Bitcast BiasAdd BiasAddV1 Cast Ceil
    CheckNumerics CheckNumericsV2 ClipByValue CollectiveReduce CollectiveReduceV2 ComplexAbs Conj Copy CopyHost
    Cos Cosh Cumprod Cumsum DebugGradientIdentity DebugGradientRefIdentity DebugIdentity DebugIdentityV2
    DebugIdentityV3 DeepCopy Digamma Elu Erf Erfc Erfinv Exp Expm1 FakeQuantWithMinMaxArgs
    FakeQuantWithMinMaxVars Floor HorovodAllreduce Identity Imag Inv InvertPermutation Invert IsFinite IsInf
    IsNan L2Normalize LRN LRNGrad LeakyRelu Lgamma Log Log1p LogicalNot LogSoftmax MatrixBandPart NcclAllReduce
    Ndtri Neg NextIteration OnesLike PreventGradient Print QuantizeAndDequantize QuantizeAndDequantizeV2
    QuantizeAndDequantizeV3 RandomShuffle Real Reciprocal Relu Relu6 Reverse ReverseSequence ReverseV2 Rint Roll
    Round Rsqrt Selu Sigmoid Sign Sin Sinh Snapshot Softmax Softplus Softsign Sqrt Square StopGradient Tan Tanh
    TensorScatterAdd TensorScatterUpdate ZerosLike _UnaryOpsComposition Exit Enter RefEnter RefExit
    RefNextIteration RefIdentity EnsureShape _FusedBiasAdd
""".split()  # noqa: SIM905  # so many names read better as words

LIKE_ALL = """
    AccumulateNV2 AddN EluGrad GeluGrad InvGrad LeakyReluGrad ReciprocalGrad Relu6Grad ReluGrad RsqrtGrad
    SeluGrad SigmoidGrad SoftplusGrad SoftsignGrad SqrtGrad TanhGrad
""".split()  # noqa: SIM905  # so many names read better as words

_BROADCAST = """
    Add AddV2 ApproximateEqual Atan2 BitwiseAnd BitwiseOr BitwiseXor Complex Div DivNoNan Equal FloorDiv
    FloorMod Greater GreaterEqual Igamma Igammac LeftShift Less LessEqual LogicalAnd LogicalOr Maximum Minimum
    Mod Mul MulNoNan NextAfter NotEqual Polygamma Pow RealDiv RightShift SelectV2 SquaredDifference Sub
    TruncateDiv TruncateMod Xdivy Xlog1py Xlogy Zeta
""".split()  # noqa: SIM905  # so many names read better as words


@shape_rule(*LIKE_FIRST)
def like_first(call: Call) -> Sequence[Dims]:
    """The shape of the first input, for every output."""
    return [call.shape(0)] * call.outputs


@shape_rule(*LIKE_ALL)
def like_all(call: Call) -> Sequence[Dims]:
    """What is known of any input: they all have one shape."""
    return [merged(call.shapes)]


@shape_rule(*_BROADCAST)
def wide(call: Call) -> Sequence[Dims]:
    """All inputs broadcast."""
    return [broadcast(call.shapes)]


@shape_rule("Select")
def select(call: Call) -> Sequence[Dims]:
    """The shape of the two alternatives; the condition may have fewer dimensions."""
    return [merged(call.shapes[1:])]


@shape_rule("IdentityN", "_SwitchN")
def identities(call: Call) -> Sequence[Dims]:
    """Each output is its input."""
    return call.shapes
