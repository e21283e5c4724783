"""Each case is one op with its inputs' shapes, small constants as {..}, and the shape TensorFlow gives it."""

import pytest

from tests.graph.drawn import shaped

CASES = """
MatMul([8,3], [3,5]) -> [8,5]
MatMul([3,8], [5,3]) transpose_a=True transpose_b=True -> [8,5]
MatMul([?], [3,5]) -> [-1,5]
BatchMatMulV2([2,1,8,3], [4,3,5]) -> [2,4,8,5]
BatchMatMul([4,3,8], [4,5,3]) adj_x=True adj_y=True -> [4,8,5]
Einsum([2,8,3], [3,5]) equation='abc,cd->abd' -> [2,8,5]
Einsum([7,2,8], [7,8,9]) equation='...ab,...bc->...ac' -> [7,2,9]
Conv2D([8,224,224,3], [7,7,3,64]) strides=1;2;2;1 padding='SAME' -> [8,112,112,64]
Conv2D([8,3,224,224], [7,7,3,64]) strides=1;1;2;2 padding='VALID' data_format='NCHW' -> [8,64,109,109]
Conv2D([8,10,10,3], [3,3,3,4]) strides=1;1;1;1 dilations=1;2;2;1 padding='VALID' -> [8,6,6,4]
Conv2D([8,10,10,3], [3,3,3,4]) strides=1;1;1;1 padding='EXPLICIT' explicit_paddings=0;0;1;1;2;2;0;0 -> [8,10,12,4]
Conv3D([2,9,9,9,1], [3,3,3,1,4]) strides=1;2;2;2;1 padding='VALID' -> [2,4,4,4,4]
DepthwiseConv2dNative([8,10,10,3], [3,3,3,2]) strides=1;1;1;1 padding='SAME' -> [8,10,10,6]
Conv2DBackpropFilter([8,9,9,3], {3,3,3,4}, [8,9,9,4]) -> [3,3,3,4]
Conv2DBackpropInput([4], [3,3,3,4], [8,9,9,4]) -> [8,-1,-1,3]
MaxPool([8,112,112,64]) ksize=1;3;3;1 strides=1;2;2;1 padding='SAME' -> [8,56,56,64]
AvgPool([8,64,7,7]) ksize=1;1;7;7 strides=1;1;1;1 padding='VALID' data_format='NCHW' -> [8,64,1,1]
BiasAddGrad([8,64,7,7]) data_format='NCHW' -> [64]
BiasAddGrad([8,7,7,64]) -> [64]
Reshape([8,6,4], {-1,12}) -> [16,12]
Reshape([-1,6,4], {-1,24}) -> [-1,24]
Reshape([-1,6,4], [2]) -> [-1,-1]
Transpose([8,3,5], {2,0,1}) -> [5,8,3]
ConcatV2([8,3], [8,4], {1}) N=2 -> [8,7]
ConcatV2([8,3], [-1,4], {-1}) N=2 -> [8,7]
Concat({0}, [8,3], [2,3]) N=2 -> [10,3]
Split({1}, [8,6]) num_split=3 -> [8,2] [8,2] [8,2]
SplitV([8,6], {1,-1}, {1}) num_split=2 -> [8,1] [8,5]
Pack([8,3], [8,3]) N=2 axis=1 -> [8,2,3]
Unpack([8,2,3]) num=2 axis=1 -> [8,3] [8,3]
Pad([8,5], {0,0,1,2}) -> [8,8]
MirrorPadGrad([8,8], {0,0,1,2}) -> [8,5]
Tile([8,5], {2,1}) -> [16,5]
ExpandDims([8,5], {-1}) -> [8,5,1]
Squeeze([8,1,5,1]) -> [8,5]
Squeeze([8,1,5,1]) squeeze_dims=1; -> [8,5,1]
Sum([8,5,4], {1}) -> [8,4]
Mean([8,5,4], {0,-1}) keep_dims=True -> [1,5,1]
Sum([8,5,4], [1]) -> [-1,-1]
ArgMax([8,5], {1}) -> [8]
Slice([8,5], {1,2}, {3,-1}) -> [3,3]
StridedSlice([8,5,4], {1,0}, {7,0}, {2,1}) end_mask=2 -> [3,5,4]
StridedSlice([8,5,4], {2,0}, {3,0}, {1,1}) shrink_axis_mask=1 end_mask=2 -> [5,4]
StridedSlice([8,5,4], {0,0}, {0,0}, {1,1}) ellipsis_mask=1 new_axis_mask=2 -> [8,5,4,1]
StridedSlice([8,5], {0,}, {-1,}, {-1,}) begin_mask=1 end_mask=1 -> [8,5]
StridedSlice([-1,5], {0,}, {3,}, {1,}) -> [3,5]
StridedSlice([-1,5], {0,}, {0,}, {1,}) begin_mask=1 end_mask=1 -> [-1,5]
GatherV2([100,16], [8,7], {0}) -> [8,7,16]
GatherV2([8,100,16], [8,7], {1}) batch_dims=1 -> [8,7,16]
GatherNd([8,5,4], [3,2]) -> [3,4]
OneHot([8,7], {10}, {1}, {0}) -> [8,7,10]
Range({2}, {11}, {3}) -> [3]
Range({5}, {0}, {-2}) -> [3]
Fill({4,5}, {0}) -> [4,5]
Shape([8,5,4]) -> [3]
BroadcastTo([5], {8,5}) -> [8,5]
BroadcastGradientArgs({8,5}, {5,}) -> [0] [1]
BroadcastGradientArgs({8,5}, {8,5}) -> [0] [0]
BroadcastGradientArgs({8,1,5}, {4,1}) -> [1] [2]
Select([8], [8,4], [8,4]) -> [8,4]
SelectV2([8,1], [4], []) -> [8,4]
AddN([-1,4], [8,-1]) N=2 -> [8,4]
SoftmaxCrossEntropyWithLogits([8,10], [8,10]) -> [8] [8,10]
SparseSoftmaxCrossEntropyWithLogits([8,10], [8]) -> [8] [8,10]
TopKV2([8,10], {3}) -> [8,3] [8,3]
FusedBatchNormV3([8,7,7,64], [64], [64], [64], [64]) -> [8,7,7,64] [64] [64] [64] [64] [0]
FusedBatchNormGradV3([8,7,7,64], [8,7,7,64], [64], [64], [64], [0]) -> [8,7,7,64] [64] [64] [0] [0]
UnsortedSegmentSum([8,7,16], [8,7], {100}) -> [100,16]
DynamicStitch({0,}, {1,2}, [1,4], [2,4]) N=2 -> [3,4]
ResizeBilinear([8,7,7,3], {14,28}) -> [8,14,28,3]
SpaceToBatchND([8,7,7,3], {2,2}, {0,1,0,1}) -> [32,4,4,3]
BatchToSpaceND([32,4,4,3], {2,2}, {0,1,0,1}) -> [8,7,7,3]
SpaceToDepth([8,8,8,3]) block_size=2 -> [8,4,4,12]
Where([8,5]) -> [-1,2]
ScatterNd([3,1], [3,4], {9,4}) -> [9,4]
ApplyMomentum([3,4], [3,4], [], [3,4], []) -> [3,4]
CudnnRNN([20,8,16], [2,8,32], [2,8,32], [999]) rnn_mode='lstm' -> [20,8,32] [2,8,32] [2,8,32]
RandomUniform({4,5}) -> [4,5]
StatelessRandomGetKeyCounter([2]) -> [1] [2]
""".strip().splitlines()


@pytest.mark.parametrize("case", CASES)
def test_the_shape_of_one_op(case: str) -> None:
    head, _, expected = case.rpartition(" -> ")
    op, _, rest = head.partition("(")
    inputs, _, attrs = rest.partition(")")
    words = inputs.replace("], ", "]|").replace("}, ", "}|").split("|")
    lines, names = [], []
    for i, word in enumerate(words):
        value = f"dtype=int32 value={word}" if word.startswith("{") else f"dtype=float -> {word}"
        kind = "Const" if word.startswith("{") else "Placeholder"
        lines.append(f"i{i} = {kind}() {value}")
        names.append(f"i{i}:0")
    type_attr = "Tparams" if op.startswith("Gather") else "T"
    lines.append(f"out = {op}({', '.join(names)}) {type_attr}=float {attrs}")
    found = shaped("\n".join(lines))["out"]
    wanted = tuple(tuple(int(n) for n in word.strip("[]").split(",") if n) for word in expected.split())
    assert found[: len(wanted)] == wanted
