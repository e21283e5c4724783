"""Where the graph lies in each kind of file: the one thing readers and placers must agree on."""

from __future__ import annotations

from typing import NamedTuple


class Step(NamedTuple):
    """A field to go through: its name in text, its number in binary."""

    name: bytes
    number: int


# kind -> the fields from the outermost message to the GraphDef; of a SavedModel's graphs the first counts.
PATHS = {
    "GraphDef": (),
    "MetaGraphDef": (Step(b"graph_def", 2),),
    "SavedModel": (Step(b"meta_graphs", 2), Step(b"graph_def", 2)),
}

# GraphDef: node and library; FunctionDefLibrary: function; FunctionDef: signature (with its name) and node_def.
NODE, LIBRARY, FUNCTION, BODY_NODE = Step(b"node", 1), Step(b"library", 2), Step(b"function", 1), Step(b"node_def", 3)
SIGNATURE = Step(b"signature", 1)

# NodeDef, in the order in which TensorFlow writes it.
NAME, OP, INPUT, DEVICE = Step(b"name", 1), Step(b"op", 2), Step(b"input", 3), Step(b"device", 4)
