"""Protobuf classes of our own for the parts of TensorFlow's messages that we read.

They live in a descriptor pool and a package of their own, so tensorflow may be imported before or after. Only what is
asked for is declared; everything else is an unknown field, which protobuf keeps and ignores.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_PACKAGE = "pardnn.private"


class Messages:
    """Classes by message name, from message -> its fields as "number name type", a "*" for repeated.

    Enums are int32, so that unknown numbers pass. What is named in `unions` holds one of its fields at a time.
    """

    def __init__(self, declarations: Mapping[str, str], unions: tuple[str, ...] = ()) -> None:
        file = descriptor_pb2.FileDescriptorProto(name="pardnn/private.proto", package=_PACKAGE, syntax="proto3")
        for name, fields in declarations.items():
            declared = file.message_type.add(name=name)
            for field in fields.split(","):
                number, label, kind = field.split()
                _declare(declared, label, int(number), kind, declarations)
            if name in unions:  # protobuf calls that a oneof
                declared.oneof_decl.add(name="value")
                for member in declared.field:
                    member.oneof_index = 0
        self._pool = descriptor_pool.DescriptorPool()
        self._pool.AddSerializedFile(file.SerializeToString())

    def __getitem__(self, name: str) -> Any:
        """The class of a message."""
        return message_factory.GetMessageClass(self._pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))


def _declare(
    message: descriptor_pb2.DescriptorProto, name: str, number: int, kind: str, known: Mapping[str, str]
) -> None:
    """Add one field."""
    types = descriptor_pb2.FieldDescriptorProto
    field = message.field.add(name=name, number=number)
    field.label = types.LABEL_REPEATED if kind.endswith("*") else types.LABEL_OPTIONAL
    kind = kind.removesuffix("*")
    if kind in known:
        field.type, field.type_name = types.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"
    else:
        field.type = types.Type.Value(f"TYPE_{kind.upper()}")
