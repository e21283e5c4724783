"""What TensorFlow's allocator on a GPU counts as in use beyond what the tensors need: its chunks, cuDNN's scratch.

* A free chunk is handed out whole unless it is twice what is asked for or 128 MiB more [1, `SplitChunk`], so that what
  lives long sits in chunks larger than itself: what is held for the whole step counts `CHUNK` times.
* cuDNN's fast algorithms take scratch, in TensorFlow up to 4 GiB [2, `TF_CUDNN_WORKSPACE_LIMIT_IN_MB`], and a filter is
  turned for them in each run [2]. How much is theirs to say. Measured peaks of VGG-16 [3] go with the image tensors of
  the op, and with the network's largest filter whichever op it is: `BY_TENSORS` and `BY_FILTER` times. Why the second
  holds for all ops is not known; that scratch gets the chunk of an earlier, larger one would explain it.

The three factors were fitted to half of the measured whole-VGG-16 runs on a V100 [3], drawn by a seed;
`scripts/prediction/vgg.py` does it and tells the error on the other half. 1x1 filters are a matrix product: neither.
[1] TensorFlow, tsl/framework/bfc_allocator.cc. [2] TensorFlow, core/kernels/conv_ops_gpu.cc and conv_ops.cc.
[3] Justus et al. 2018, arXiv 1811.11880; data of github.com/CDECatapult/ml-performance-prediction.
"""

from __future__ import annotations

from math import prod

import numpy as np
from numpy.typing import NDArray

from pardnn.cost.graph import GraphCosts
from pardnn.cost.op import Op
from pardnn.cost.tensor import Tensor

CHUNK, BY_TENSORS, BY_FILTER = 1.43, 2.05, 4.53
LIMIT = 4 * 2**30
_GRANULE = 256
_FILTERS = {
    "Conv2D": (1, False), "Conv3D": (1, False), "_FusedConv2D": (1, False),
    "Conv2DBackpropInput": (1, False), "Conv3DBackpropInputV2": (1, False),
    "Conv2DBackpropFilter": (0, True), "Conv3DBackpropFilterV2": (0, True),
}  # fmt: skip
"""Op type -> where its filter is: which input, or the output."""


def workspace_bytes(
    costs: GraphCosts, temp_bytes: NDArray[np.int64], by_tensors: float = BY_TENSORS, by_filter: float = BY_FILTER
) -> NDArray[np.int64]:
    """[n] scratch per op: of convolutions by the rules above, of all others as it is."""
    filters = {v: _filter(op) for v, op in enumerate(costs.ops) if op.type in _FILTERS}
    spatial = {v: taps.bytes for v, taps in filters.items() if prod(taps.dims[:-2]) > 1}
    largest = max(spatial.values(), default=0)
    result = temp_bytes.copy()
    for v in filters:
        result[v] = 0
    for v, size in spatial.items():
        op = costs.ops[v]
        images = op.read + op.written - size
        result[v] = min(round(by_tensors * images + by_filter * largest), LIMIT)
    return result


def held_bytes(resident_bytes: NDArray[np.int64], chunk: float = CHUNK) -> NDArray[np.int64]:
    """[n] what is held for the whole step as chunks: by the factor, in whole granules of 256 bytes."""
    return np.asarray(np.ceil(resident_bytes * chunk / _GRANULE).astype(np.int64) * _GRANULE)


def _filter(op: Op) -> Tensor:
    position, is_output = _FILTERS[op.type]
    return op.output() if is_output else op.input(position)
