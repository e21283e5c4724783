"""The few messages of TensorFlow that a graph is read from, as protobuf classes of our own.

They live in a descriptor pool and a package of their own, so tensorflow may be imported before or after. Only what is
asked for is declared; everything else is an unknown field, which protobuf keeps and ignores. An attribute's value is
declared as bytes (on the wire the same thing): equal ones, nearly all of them, are taken apart once.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_PACKAGE = "pardnn.private"

# message -> its fields as "number name type", a "*" for repeated; enums are int32, so that unknown numbers pass.
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
    pool = _pool()
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))


@cache
def _pool() -> descriptor_pool.DescriptorPool:
    """A pool with our one file in it."""
    file = descriptor_pb2.FileDescriptorProto(name="pardnn/private.proto", package=_PACKAGE, syntax="proto3")
    for name, declarations in _MESSAGES.items():
        declared = file.message_type.add(name=name)
        for declaration in declarations.split(","):
            number, field, kind = declaration.split()
            _declare(declared, field, int(number), kind)
        if name == "AttrValue":  # what it holds is one of its fields: protobuf calls that a oneof
            declared.oneof_decl.add(name="value")
            for member in declared.field:
                member.oneof_index = 0
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return pool


def _declare(message: descriptor_pb2.DescriptorProto, name: str, number: int, kind: str) -> None:
    """Add one field."""
    types = descriptor_pb2.FieldDescriptorProto
    field = message.field.add(name=name, number=number)
    field.label = types.LABEL_REPEATED if kind.endswith("*") else types.LABEL_OPTIONAL
    kind = kind.removesuffix("*")
    if kind in _MESSAGES:
        field.type, field.type_name = types.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"
    else:
        field.type = types.Type.Value(f"TYPE_{kind.upper()}")
