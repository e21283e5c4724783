"""Ops that move data without computing."""

from __future__ import annotations

from pardnn.cost.op import Op
from pardnn.cost.record import OpCost
from pardnn.cost.rule import cost_rule


@cost_rule(
    "BatchToSpace", "BatchToSpaceND", "BroadcastTo", "Cast", "Concat", "ConcatV2", "ConjugateTranspose", "Copy",
    "DataFormatVecPermute", "DeepCopy", "DepthToSpace", "Diag", "DiagPart", "DynamicPartition", "DynamicStitch",
    "ExtractImagePatches", "MatrixBandPart", "MatrixDiag", "MatrixDiagPart", "MatrixDiagPartV2", "MatrixDiagPartV3",
    "MatrixDiagV2", "MatrixDiagV3", "MatrixSetDiag", "MatrixSetDiagV3", "MirrorPad", "MirrorPadGrad", "OneHot",
    "Pack", "Pad", "PadV2", "ParallelConcat", "ParallelDynamicStitch", "Reverse", "ReverseSequence", "ReverseV2",
    "Roll", "SpaceToBatch", "SpaceToBatchND", "SpaceToDepth", "Split", "SplitV", "Tile", "TileGrad", "Transpose",
    "Unpack", "Where", "TensorArrayGatherV3", "TensorArrayConcatV3", "TensorArrayScatterV3", "TensorArraySplitV3",
    "TensorListStack", "TensorListFromTensor", "TensorListConcatV2", "TensorListGather", "TensorListSplit",
    "TensorListScatterV2",
)  # fmt: skip
def move(op: Op) -> OpCost:
    """Reads all inputs, writes all outputs."""
    return op.cost("copy")


@cost_rule("Slice", "StridedSlice", "TensorListGetItem")
def take(op: Op) -> OpCost:
    """Reads only the part that it writes."""
    return op.cost("copy", read=op.written)


@cost_rule("StridedSliceGrad", "InplaceUpdate", "InplaceAdd", "TensorStridedSliceUpdate", "ResourceStridedSliceAssign")
def put(op: Op) -> OpCost:
    """Fills the output and copies the part, the last input, into it."""
    part = op.input(-1).bytes
    return op.cost("copy", read=part, written=op.written + part)


@cost_rule("Fill", "ZerosLike", "OnesLike", "Range", "LinSpace", "Empty", "Zeros")
def fill(op: Op) -> OpCost:
    """Writes only."""
    return op.cost("copy", read=0)


@cost_rule(
    "ResizeBilinear", "ResizeBilinearGrad", "ResizeNearestNeighbor", "ResizeNearestNeighborGrad", "ResizeBicubic",
    "ResizeArea", "CropAndResize", "CropAndResizeGradImage", "ScaleAndTranslate", "ImageProjectiveTransformV2",
)  # fmt: skip
def resample(op: Op) -> OpCost:
    """Seven flops per output element: a weighted mean of four neighbours."""
    return op.cost("copy", 7 * op.output().elements)
