"""Sources, variables and their updates, queues, stacks and TensorArrays."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pardnn.graph.kernels import RESOURCE, op_types
from pardnn.graph.raw import TensorInfo
from pardnn.graph.shape_rules.dims import SCALAR, UNKNOWN, Dims, Value, merged
from pardnn.graph.shape_rules.rule import Call, Held, handle_rule, shape_rule, value_rule

_FIRST_INPUT = re.compile(r"(Sparse)?Apply[A-Z]\w*|Assign(Add|Sub)|Scatter(Nd)?(Add|Sub|Update|Min|Max|Mul|Div)")


@shape_rule("Const", "HostConst")
def constant(call: Call) -> Sequence[Dims]:
    """The tensor's own shape."""
    tensor = call.attrs.get("value")
    return [tensor.shape.dims if isinstance(tensor, TensorInfo) else None]


@handle_rule("Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "Variable", "VariableV2", "TemporaryVariable")
def declared(call: Call) -> Sequence[Dims]:
    """What the op declares; a placeholder with a default at least has the default's."""
    call.creates = _handle_of(call)
    return [merged([call.dims("shape"), call.shape(0)])]


@handle_rule("_Arg", "_DeviceArg", "Arg")
def argument(call: Call) -> Sequence[Dims]:
    """Unknown, unless it is a handle: then what it refers to is often stated."""
    call.creates = _handle_of(call)
    return [SCALAR if call.creates else None]


def _handle_of(call: Call) -> Held | None:
    """The variable or the like behind a handle that comes from outside."""
    if RESOURCE not in (call.attrs.get("T"), call.attrs.get("dtype")):
        return None
    return Held(call.listed("_handle_shapes") or [None])


@handle_rule("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp")
def assign_variable(call: Call) -> Sequence[Dims]:
    """No output; the variable is shaped like its new value or what is added to it."""
    _learn(call, call.shape(1))
    return []


@handle_rule("VarHandleOp")
def variable(call: Call) -> Sequence[Dims]:
    """A handle to a variable of the shape declared."""
    call.creates = Held([call.dims("shape")])
    return [SCALAR]


@shape_rule("ReadVariableOp")
def read(call: Call) -> Sequence[Dims]:
    """The variable's shape."""
    return [_referent(call)]


def _referent(call: Call) -> Dims:
    held = call.refers(0)
    return held.shapes[0] if held and held.shapes else None


@shape_rule("VariableShape")
def variable_shape(call: Call) -> Sequence[Dims]:
    """As many numbers as the variable has dimensions."""
    dims = _referent(call)
    return [(UNKNOWN if dims is None else len(dims),)]


@shape_rule("Assign")
def assign(call: Call) -> Sequence[Dims]:
    """The variable's new shape."""
    return [merged([call.shape(0), call.shape(1)])]


@shape_rule(*(op for op in op_types() if _FIRST_INPUT.fullmatch(op)))
def update(call: Call) -> Sequence[Dims]:
    """The variable's shape."""
    return [call.shape(0)]


@shape_rule("IteratorGetNext", "IteratorGetNextSync", "OptionalGetValue", "IteratorFromStringHandleV2")
def next_element(call: Call) -> Sequence[Dims]:
    """What the iterator declares."""
    return call.listed("output_shapes")


@handle_rule(
    "FIFOQueueV2", "FIFOQueue", "RandomShuffleQueueV2", "RandomShuffleQueue", "PaddingFIFOQueueV2", "PaddingFIFOQueue"
)
def queue(call: Call) -> Sequence[Dims]:
    """A handle to a queue of the components declared."""
    call.creates = Held(call.listed("shapes"))
    return [SCALAR]


@shape_rule("QueueDequeueV2", "QueueDequeue")
def dequeue(call: Call) -> Sequence[Dims]:
    """One element: the components' shapes."""
    held = call.refers(0)
    return held.shapes if held else []


@shape_rule("QueueDequeueManyV2", "QueueDequeueMany", "QueueDequeueUpToV2", "QueueDequeueUpTo")
def dequeue_many(call: Call) -> Sequence[Dims]:
    """As many elements as the second input says."""
    held, count = call.refers(0), call.scalar(1)
    lead = UNKNOWN if count is None else count
    return [None if dims is None else (lead, *dims) for dims in held.shapes] if held else []


@handle_rule("StackV2", "Stack")
def stack(call: Call) -> Sequence[Dims]:
    """A handle to a stack of elements of unknown shape."""
    call.creates = Held([None])
    return [(2,)]


@handle_rule("StackPushV2", "StackPush")
def push(call: Call) -> Sequence[Dims]:
    """The element itself; the stack learns its shape and numbers."""
    held = call.refers(0)
    if held:
        held.numbers = call.value(1)
    return [_learn(call, call.shape(1))]


@shape_rule("StackPopV2", "StackPop")
def pop(call: Call) -> Sequence[Dims]:
    """An element as it was pushed."""
    return [_referent(call)]


@value_rule("StackPopV2", "StackPop")
def popped(call: Call) -> Sequence[Value | None]:
    """The numbers as they were pushed."""
    held = call.refers(0)
    return [held.numbers if held else None]


@handle_rule("TensorArrayV3", "TensorArrayV2", "TensorArray")
def tensor_array(call: Call) -> Sequence[Dims]:
    """(handle, flow) of a list of elements of one shape."""
    call.creates = Held([call.dims("element_shape")])
    return [(2,), SCALAR]


@handle_rule("TensorArrayGradV3", "TensorArrayGradV2", "TensorArrayGrad")
def tensor_array_gradient(call: Call) -> Sequence[Dims]:
    """(handle, flow) of a list like the one whose gradient it is."""
    call.creates = call.refers(0)
    return [(2,), SCALAR]


@handle_rule("TensorArrayWriteV3", "TensorArrayWriteV2", "TensorArrayWrite")
def tensor_array_write(call: Call) -> Sequence[Dims]:
    """The flow; the list learns its elements' shape."""
    _learn(call, call.shape(2))
    return [SCALAR]


@handle_rule("TensorArrayScatterV3", "TensorArrayScatterV2", "TensorArraySplitV3")
def tensor_array_scatter(call: Call) -> Sequence[Dims]:
    """The flow; the list learns its elements' shape from the rows."""
    rows = call.shape(2)
    if rows and call.op != "TensorArraySplitV3":
        _learn(call, rows[1:])
    return [SCALAR]


@shape_rule("TensorArrayReadV3", "TensorArrayReadV2", "TensorArrayRead")
def tensor_array_read(call: Call) -> Sequence[Dims]:
    """An element."""
    return [_referent(call)]


@shape_rule("TensorArrayGatherV3", "TensorArrayGatherV2")
def tensor_array_gather(call: Call) -> Sequence[Dims]:
    """As many elements as there are indices."""
    element, indices = merged([_referent(call), call.dims("element_shape")]), call.shape(1)
    return [None if element is None else ((indices or (UNKNOWN,))[0], *element)]


@shape_rule("TensorArraySizeV3", "TensorArraySizeV2", "TensorListLength", "QueueSizeV2", "QueueSize")
def tensor_array_size(_: Call) -> Sequence[Dims]:
    """One number."""
    return [SCALAR]


def _learn(call: Call, element: Dims) -> Dims:
    held = call.refers(0)
    if held and held.shapes:
        held.shapes[0] = merged([held.shapes[0], element])
    return element
