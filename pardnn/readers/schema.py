"""The few messages of TensorFlow that a graph is read from, as protobuf classes of our own.

An attribute's value is declared as bytes (on the wire the same thing): equal ones, nearly all of them, are taken apart
once.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from pardnn.encoding.messages import Messages

_MESSAGES = {
    "SavedModel": "2 meta_graphs MetaGraphDef*",
    "MetaGraphDef": "2 graph_def GraphDef, 4 collection_def Collection*",
    "Collection": "1 key string, 2 value CollectionDef",
    "CollectionDef": "1 node_list NodeList",
    "NodeList": "1 value string*",
    "GraphDef": "1 node NodeDef*, 2 library FunctionDefLibrary",
    "NodeDef": "1 name string, 2 op string, 3 input string*, 4 device string, 5 attr Attr*",
    "Attr": "1 key string, 2 value bytes",
    "FunctionDefLibrary": "1 function FunctionDef*",
    "FunctionDef": "1 signature OpDef, 3 node_def NodeDef*, 4 ret Result*, 5 attr Attr*, 6 control_ret Result*",
    "OpDef": "1 name string, 2 input_arg ArgDef*, 3 output_arg ArgDef*",
    "ArgDef": "1 name string",
    "Result": "1 key string, 2 value string",
    "AttrValue": (
        "1 list ListValue, 2 s bytes, 3 i int64, 4 f float, 5 b bool, 6 type int32, 7 shape TensorShapeProto,"
        "8 tensor TensorProto, 10 func NameAttrList"
    ),
    "ListValue": (
        "2 s bytes*, 3 i int64*, 4 f float*, 5 b bool*, 6 type int32*, 7 shape TensorShapeProto*,"
        "8 tensor TensorProto*, 9 func NameAttrList*"
    ),
    "TensorShapeProto": "2 dim Dim*, 3 unknown_rank bool",
    "Dim": "1 size int64",
    "TensorProto": (
        "1 dtype int32, 2 tensor_shape TensorShapeProto, 4 tensor_content bytes, 5 float_val float*, 7 int_val int32*,"
        "10 int64_val int64*, 11 bool_val bool*"
    ),
    "NameAttrList": "1 name string",
}


@cache
def message(name: str) -> Any:
    """The class of a message by its TensorFlow name."""
    return _messages()[name]


@cache
def _messages() -> Messages:
    return Messages(_MESSAGES, unions=("AttrValue",))
