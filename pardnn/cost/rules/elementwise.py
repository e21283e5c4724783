"""Ops that treat each element alone. On every card their traffic outweighs their arithmetic."""

from __future__ import annotations

from pardnn.cost.op import Op
from pardnn.cost.record import OpCost
from pardnn.cost.rule import cost_rule


@cost_rule(
    "Abs", "Add", "AddV2", "Angle", "ApproximateEqual", "BiasAdd", "BiasAddV1", "BitwiseAnd", "BitwiseOr",
    "BitwiseXor", "Ceil", "CheckNumerics", "CheckNumericsV2", "ClipByValue", "Complex", "Conj", "DivNoNan", "Div",
    "Equal", "Floor", "FloorDiv", "FloorMod", "Greater", "GreaterEqual", "Imag", "Inv", "InvGrad", "Invert",
    "IsFinite", "IsInf", "IsNan", "LeakyRelu", "LeakyReluGrad", "LeftShift", "Less", "LessEqual", "LogicalAnd",
    "LogicalNot", "LogicalOr", "LogicalXor", "Maximum", "Minimum", "Mod", "Mul", "MulNoNan", "Neg", "NotEqual",
    "Real", "RealDiv", "Reciprocal", "ReciprocalGrad", "Relu", "Relu6", "Relu6Grad", "ReluGrad", "RightShift",
    "Rint", "Round", "Select", "SelectV2", "Sign", "Square", "SquaredDifference", "Sub", "TruncateDiv",
    "TruncateMod", "_FusedMulAdd",
)  # fmt: skip
def simple(op: Op) -> OpCost:
    """One flop per output element."""
    return op.cost("elementwise", op.output().elements)


@cost_rule(
    "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atan2", "Atanh", "Cos", "Cosh", "Digamma", "Elu", "EluGrad", "Erf",
    "Erfc", "Erfinv", "Exp", "Expm1", "Lgamma", "Log", "Log1p", "Ndtri", "Pow", "Rsqrt", "RsqrtGrad", "Selu",
    "SeluGrad", "Sigmoid", "SigmoidGrad", "Sin", "Sinh", "Softplus", "SoftplusGrad", "Softsign", "SoftsignGrad",
    "Sqrt", "SqrtGrad", "Tan", "Tanh", "TanhGrad", "Xdivy", "Xlog1py", "Xlogy",
)  # fmt: skip
def transcendental(op: Op) -> OpCost:
    """Ten flops per output element: what a special function comes to on the ordinary cores."""
    return op.cost("elementwise", 10 * op.output().elements)


@cost_rule("AddN", "AccumulateNV2")
def add_n(op: Op) -> OpCost:
    """One flop per element of each input after the first."""
    return op.cost("elementwise", max(0, len(op.inputs) - 1) * op.output().elements)


@cost_rule("_UnaryOpsComposition")
def fused(op: Op) -> OpCost:
    """Several element-wise ops in one pass."""
    return op.cost("elementwise", 10 * op.output().elements)
