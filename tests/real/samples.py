"""Small graph files made here in every form, whole and placeable: the seeds of damage and of round trips."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import NamedTuple

from pardnn.encoding.wire import encoded_varint
from pardnn.graph.raw import RawNode
from tests.graph.drawn import draw
from tests.readers.drawn import Printer, as_binary

TRAINING = """
    x = Placeholder() dtype=float shape=[-1,8] -> [-1,8]
    w = VariableV2() dtype=float shape=[8,4] -> [8,4]
    w/read = Identity(w) T=float loc=w -> [8,4]
    y = MatMul(x, w/read) T=float -> [-1,4]
    v = VarHandleOp() dtype=float shape=[4] -> []
    v/read = ReadVariableOp(v) dtype=float -> [4]
    z = BiasAdd(y, v/read) T=float -> [-1,4]
    r = Relu(z) T=float -> [-1,4]
    g = ReluGrad(r, r) T=float loc=r -> [-1,4]
    gb = BiasAddGrad(g) T=float -> [4]
    gw = MatMul(x, g) T=float transpose_a=1 -> [8,4]
    rate = Const() dtype=float value={1} -> []
    up_w = ApplyGradientDescent(w, rate, gw) T=float loc=w -> [8,4]
    up_v = ResourceApplyGradientDescent(v, rate, gb) T=float
    zero = Const() dtype=int32 value={0} -> []
    limit = Const() dtype=int32 value={5} -> []
    enter = Enter(zero, ^up_w) T=int32 frame_name='loop' -> []
    merge = Merge(enter, next) T=int32 N=2 -> [] []
    less = Less(merge, limit_in) T=int32 -> []
    limit_in = Enter(limit) T=int32 frame_name='loop' is_constant=1 -> []
    cond = LoopCond(less) -> []
    switch = Switch(merge, cond) T=int32 loc=merge -> [] []
    one = Const(^switch) dtype=int32 value={1} -> []
    add = Add(switch:1, one) T=int32 -> []
    next = NextIteration(add) T=int32 -> []
    exit = Exit(switch) T=int32 -> []
    count = VariableV2() dtype=int32 shape=[1] -> [1]
    step = AssignAdd(count, exit, ^up_v) T=int32 loc=count -> [1]
    train = NoOp(^up_w, ^up_v, ^step)
"""
LIBRARY = b"""
library {
  function {
    signature { name: "double" input_arg { name: "a" type: DT_FLOAT } output_arg { name: "b" type: DT_FLOAT } }
    node_def { name: "sum" op: "Add" input: "a" input: "a" attr { key: "T" value { type: DT_FLOAT } } }
    ret { key: "b" value: "sum:z:0" }
  }
}
node { name: "call" op: "double" input: "y" }
versions { producer: 22 }
"""


class Sample(NamedTuple):
    """A file's name and bytes."""

    name: str
    data: bytes


def nodes() -> list[RawNode]:
    """The nodes of the small training graph."""
    return list(draw(TRAINING).nodes)


def graphs() -> list[Sample]:
    """The training graph in each form a file can have."""
    text, binary = Printer(0).nodes(nodes()), as_binary(nodes())
    meta = b"\x12" + encoded_varint(len(binary)) + binary
    saved = b"\x08\x01\x12" + encoded_varint(len(meta)) + meta
    return [
        Sample("train.pbtxt", text + LIBRARY),
        Sample("train.pb", binary),
        Sample("train.meta", meta),
        Sample("train_meta.pbtxt", b"meta_info_def { tags: 'train' }\ngraph_def {\n" + text + b"}\n"),
        Sample("saved_model.pb", saved),
        Sample("saved_model.pbtxt", b"saved_model_schema_version: 1\nmeta_graphs { graph_def {\n" + text + b"} }\n"),
        Sample("train.pbtxt.gz", gzip.compress(text, mtime=0)),
        Sample("loose.pbtxt", Printer(7).nodes(nodes())),
    ]


def cost_graph() -> Sample:
    """A cost graph with every column there is."""
    columns = {
        "name": list("abcdef"),
        "op": ["MatMul"] * 6,
        "time": [3, 1.5, 2, 7, 0, 4],
        "resident": [0, 100, 0, 0, 50, 0],
        "output": [10, 20, 30, 40, 50, 60],
        "temp": [0, 0, 1000, 0, 0, 0],
        "src": [0, 0, 1, 2, 3, 4],
        "dst": [1, 2, 3, 3, 4, 5],
        "bytes": [10, 10, 20, 0, 40, 50],
        "colocate": [None, "p", None, "p", None, None],
        "device": [None, None, "/device:GPU:1", None, None, None],
    }
    return Sample("costs.json", json.dumps(columns).encode())


def shared_files(shared: Path, largest: int = 60_000) -> list[Sample]:
    """The small graph files of the shared folder."""
    paths = sorted((shared / "data" / "graphs").glob("*/*"))
    return [Sample(path.name, path.read_bytes()) for path in paths if 0 < path.stat().st_size <= largest]
