"""Memory per op: what is held for the whole step, and what each op's fresh outputs take.

Several readings are possible, since the simulator knows no shared buffers; these are the choices:

* A variable, an optimizer slot and a constant are resident where they are made; what merely names them (a read, an
  identity or a reshape of a read) takes nothing more. A copy sent to another device is counted there by the simulator.
* Any other view (Identity, Reshape, Switch, ...) counts as a buffer of its own. It keeps its input's buffer alive, and
  that one is counted only as long as it has other readers; so a chain of views is right, and a value that is kept both
  as itself and as a view is counted twice: an estimate on the safe side.
* An op that could work in place still counts its output: the runtime decides that at run time.
* References and handles take nothing; what they stand for is counted once, at the op that makes it.
* What a loop pushes on a stack stays until the gradient pops it: once per trip; a variable's value only once in all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pardnn.cost.graph import GraphCosts
from pardnn.cost.op import Op
from pardnn.cost.tensor import LARGEST, RESOURCE, Tensor, tensor
from pardnn.graph.opgraph import OpGraph
from pardnn.graph.raw import DType, RawNode, Shape
from scheduler.buffers import FRESH, IN_PLACE, VIEW

_VARIABLES = frozenset({"Variable", "VariableV2", "AutoReloadVariable", "VarHandleOp", "TemporaryVariable"})
_CONSTANTS = frozenset({"Const", "HostConst", "ImmutableConst"})
_READS = frozenset({"ReadVariableOp", "_ReadVariablesOp"})
_HELD = _VARIABLES | _CONSTANTS | _READS
_FED = frozenset({"_Arg", "Placeholder", "PlaceholderV2", "PlaceholderWithDefault"})
_VIEWS = frozenset({
    "Bitcast", "EnsureShape", "Enter", "ExpandDims", "Identity", "IdentityN", "Reshape", "Squeeze", "StopGradient",
    "PreventGradient", "Snapshot", "RefIdentity", "RefEnter",
})  # fmt: skip
_SEVERAL = frozenset({"IdentityN"})
_TRIVIAL = frozenset({"Max", "Mean", "Min", "Prod", "Sum", "Tile"})
"""Another name of the input where there is nothing to reduce or repeat."""
_IN_PLACE = frozenset({
    "Abs", "Add", "AddN", "AddV2", "BiasAdd", "Div", "DivNoNan", "Elu", "EluGrad", "Erf", "Exp", "Floor", "Gelu",
    "Inv", "LeakyRelu", "LeakyReluGrad", "Log", "Log1p", "LogSoftmax", "Maximum", "Minimum", "Mul", "MulNoNan", "Neg",
    "Pow", "RealDiv", "Reciprocal", "Relu", "Relu6", "Relu6Grad", "ReluGrad", "Rsqrt", "RsqrtGrad", "Select",
    "SelectV2", "Selu", "SeluGrad", "Sigmoid", "SigmoidGrad", "Sign", "Softmax", "SoftmaxCrossEntropyWithLogits",
    "Softplus", "SparseSoftmaxCrossEntropyWithLogits", "Sqrt", "SqrtGrad", "Square", "SquaredDifference", "Sub",
    "Tanh", "TanhGrad",
})  # fmt: skip
"""Ops whose kernels write over an input that nobody else needs, if it has the output's size."""
_PUSHED_ARGUMENT = {
    "StackPush": 1,
    "StackPushV2": 1,
    "TensorArrayWriteV3": 2,
    "TensorListPushBack": 1,
    "TensorListSetItem": 2,
}


def resident_bytes(graph: OpGraph, costs: GraphCosts) -> NDArray[np.int64]:
    """[n] bytes held for the whole step by the op that makes them."""
    result = np.fromiter((cost.resident_bytes for cost in costs.costs), np.int64, graph.dag.n)
    fed: list[int] = []
    for v, node in enumerate(graph.nodes):
        if node.op in _VARIABLES:
            result[v] += _declared(node, costs.ops[v].output()).bytes
        elif node.op in _CONSTANTS:
            result[v] += costs.ops[v].written
        elif node.op in _FED and costs.ops[v].output().dtype == RESOURCE:
            fed.append(v)
    for v in fed:
        result[v] += _fed_variable(graph, costs, v)
    return result


def output_bytes(graph: OpGraph, costs: GraphCosts) -> NDArray[np.int64]:
    """[n] bytes of the op's fresh outputs."""
    result = np.fromiter((cost.output_bytes for cost in costs.costs), np.int64, graph.dag.n)
    result[_names_held(graph, costs)] = 0
    result[[node.op in _PUSHED_ARGUMENT for node in graph.nodes]] = 0
    result += pushed_bytes(graph, costs)
    np.minimum(result, LARGEST, out=result)
    return result


def reuse(graph: OpGraph, costs: GraphCosts) -> NDArray[np.int8]:
    """[m] what the reader of each edge may do with the tensor on it, as `scheduler.buffers` has it."""
    result = np.full(graph.dag.m, FRESH, np.int8)
    for v, node in enumerate(graph.nodes):
        way = _way(node.op, costs.ops[v])
        if way == FRESH:
            continue
        several = node.op in _SEVERAL or way == IN_PLACE
        wanted = set(costs.arguments[v] if several else costs.arguments[v][:1])
        for e in graph.dag.in_edge[graph.dag.in_ptr[v] : graph.dag.in_ptr[v + 1]].tolist():
            if (int(graph.dag.src[e]), int(graph.edge_port[e])) in wanted:
                result[e] = way
    return result


def _way(kind: str, op: Op) -> int:
    if kind in _VIEWS or kind == "Unpack":
        return VIEW
    if kind in _TRIVIAL and op.input(0).bytes == op.output().bytes:
        return VIEW
    return IN_PLACE if kind in _IN_PLACE else FRESH


def pushed_bytes(graph: OpGraph, costs: GraphCosts) -> NDArray[np.int64]:
    """[n] what the op, or the body it runs, leaves on stacks and lists in a step."""
    result = np.zeros(graph.dag.n, np.int64)
    held = _names_held(graph, costs)
    for v, node in enumerate(graph.nodes):
        pushed, argument = 0, _PUSHED_ARGUMENT.get(node.op, len(costs.arguments[v]))
        if argument < len(costs.arguments[v]):
            source = costs.arguments[v][argument][0]
            pushed = 0 if source >= 0 and held[source] else costs.ops[v].input(argument).bytes
        pushed += sum(inside.pushed for inside in costs.inside.get(v, ()))
        result[v] = min(pushed * int(graph.trips[v]), LARGEST)
    return result


def _names_held(graph: OpGraph, costs: GraphCosts) -> NDArray[np.bool_]:
    """[n] the op's output is, or names, what is held anyway: a variable or a constant."""
    held = np.zeros(graph.dag.n, np.bool_)
    for v in graph.dag.order.tolist():
        kind = graph.nodes[v].op
        if kind in _HELD:
            held[v] = True
        elif kind in _VIEWS and costs.arguments[v]:
            source = costs.arguments[v][0][0]
            held[v] = source >= 0 and held[source]
    return held


def temp_bytes(graph: OpGraph, costs: GraphCosts) -> NDArray[np.int64]:
    """[n] scratch while the op runs."""
    return np.fromiter((cost.temp_bytes for cost in costs.costs), np.int64, graph.dag.n)


def _declared(node: RawNode, output: Tensor) -> Tensor:
    """The variable as its attributes declare it, else as its output shows it."""
    shape, dtype = node.attrs.get("shape"), node.attrs.get("dtype")
    if isinstance(shape, Shape) and isinstance(dtype, DType):
        return tensor(dtype, shape)
    return output


def _fed_variable(graph: OpGraph, costs: GraphCosts, v: int) -> int:
    """Bytes of a variable whose handle comes from outside the graph: the largest value read from it or put into it."""
    dag, largest = graph.dag, 0
    for reader in dag.dst[dag.out_edge[dag.out_ptr[v] : dag.out_ptr[v + 1]]].tolist():
        op = costs.ops[reader]
        if op.type in _READS:
            largest = max(largest, *(t.bytes for t in op.outputs), 0)
        elif op.type.startswith("ResourceApply") or op.type == "AssignVariableOp":
            largest = max(largest, *(t.bytes for t in op.inputs if not t.handle), 0)
        for inner, inside in zip(graph.bodies.get(reader, ()), costs.inside.get(reader, ()), strict=True):
            for position, (u, _) in enumerate(costs.arguments[reader][inner.skipped :]):
                if u == v and inner.graph.nodes[position].op == "_Arg":
                    largest = max(largest, _fed_variable(inner.graph, inside, position))
    return largest
