"""Ops that run no kernel: they hold, rename or route a value.

TensorFlow's executor spends a microsecond or two of its own on each, but on the host, while the device works through
what was queued before; a device's time in the simulator is its stream's time. So they take no time, and a graph's
thousands of shape ops do not outweigh its convolutions.
"""

from __future__ import annotations

from pardnn.cost.op import Op
from pardnn.cost.record import OpCost
from pardnn.cost.rule import cost_rule


@cost_rule(
    # renamed, not copied
    "Bitcast", "EnsureShape", "ExpandDims", "Identity", "IdentityN", "PlaceholderWithDefault", "PreventGradient",
    "Reshape", "Snapshot", "Squeeze", "StopGradient", "RefIdentity", "DebugGradientIdentity",
    "DebugGradientRefIdentity",
    # held
    "Const", "HostConst", "ImmutableConst", "ReadVariableOp", "TemporaryVariable", "VarHandleOp", "VarHandlesOp",
    "Variable", "VariableV2", "AutoReloadVariable", "_ReadVariablesOp", "VarIsInitializedOp",
    "IsVariableInitialized", "DestroyTemporaryVariable", "DestroyResourceOp", "_VarHandlesOp", "DisableCopyOnRead",
    # fed and fetched
    "Placeholder", "PlaceholderV2", "_Arg", "_Retval", "_DeviceArg", "_DeviceRetval", "_Send", "_Recv", "_HostSend",
    "_HostRecv",
    # shapes, computed on the host
    "BroadcastArgs", "BroadcastGradientArgs", "ConcatOffset", "InvertPermutation", "Rank", "Shape", "ShapeN",
    "Size", "VariableShape", "TensorListElementShape", "TensorListLength",
    # control
    "Abort", "Assert", "ControlTrigger", "Enter", "Exit", "LoopCond", "Merge", "NextIteration", "NoOp", "RefEnter",
    "RefExit", "RefMerge", "RefNextIteration", "RefSelect", "RefSwitch", "Switch", "_SwitchN", "Timestamp",
    # stacks, arrays and lists keep a reference to what is put in
    "Stack", "StackV2", "StackPush", "StackPushV2", "StackPop", "StackPopV2", "StackClose", "StackCloseV2",
    "TensorArrayV3", "TensorArrayGradV3", "TensorArrayCloseV3", "TensorArrayReadV3", "TensorArrayWriteV3",
    "TensorArraySizeV3", "EmptyTensorList", "TensorListReserve", "TensorListPushBack", "TensorListPopBack",
    "TensorListSetItem", "TensorListResize",
)  # fmt: skip
def free(op: Op) -> OpCost:
    """No kernel."""
    return op.free()
