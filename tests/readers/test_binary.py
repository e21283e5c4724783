"""The binary reader: kinds told apart, damage found, foreign fields passed over."""

import pytest

from pardnn.encoding.wire import encoded_varint
from pardnn.errors import InputError
from pardnn.graph.raw import DType, FunctionRef, RawGraph, RawNode, Shape, TensorInfo
from pardnn.readers import schema
from pardnn.readers.file import File
from pardnn.readers.graph import parse_graph


def read(data: bytes) -> RawGraph:
    return parse_graph(File(data, gzip=False, sha256=""), "g")[0]


def part(number: int, value: bytes) -> bytes:
    """A field of bytes."""
    return encoded_varint(number << 3 | 2) + encoded_varint(len(value)) + value


NODE = part(1, b"a") + part(2, b"Add")
GRAPH = part(1, NODE)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (GRAPH, "GraphDef"),
        (part(4, b"") + GRAPH, "GraphDef"),
        (part(2, b"") + GRAPH, "GraphDef"),
        (part(1, part(5, b"1.15") + part(2, part(1, part(1, b"Add")))) + part(2, GRAPH), "MetaGraphDef"),
        (part(2, GRAPH), "MetaGraphDef"),
        (b"\x08\x01" + part(2, part(1, b"") + part(2, GRAPH)), "SavedModel"),
    ],
)
def test_the_outermost_message_is_told_by_what_is_inside(data: bytes, kind: str) -> None:
    graph = read(data)
    assert (graph.source.kind, graph.nodes) == (kind, (RawNode("a", "Add"),))


def test_fields_and_types_nobody_knows_are_passed_over() -> None:
    new = part(99, b"?") + b"\x83\x06\x08\x01\x84\x06"  # a field 99 and a group 96
    value = schema.message("AttrValue")(type=4711).SerializeToString() + part(98, b"?")
    data = part(1, NODE + new + part(5, part(1, b"T") + part(2, value))) + new
    assert read(data).nodes == (RawNode("a", "Add", attrs={"T": DType(4711)}),)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (GRAPH + GRAPH[:-1], r"g:byte 10: field 1 ends 1 bytes after its message: is the file cut off\?"),
        (GRAPH + part(1, part(1, b"\xff") + part(2, b"Add")), r"g:byte 10: node number 1 cannot be read"),
        (b"\x0a" + b"\xff" * 11, r"g:byte 1: a number has more than 10 bytes"),
        (GRAPH + b"\x0f", r"g:byte 10: there is no wire type 7"),
        (GRAPH + b"\x02\x00", r"g:byte 10: there is no field number 0"),
        (GRAPH + b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "is the file cut off"),
        (part(1, NODE + part(5, part(1, b"T") + part(2, b"\x0a\x05x"))), "an attribute of a node cannot be read"),
        (part(1, part(2, b"Add")), "node number 0 has no name"),
        (b"\x08\x01", "no nodes"),
        (b"\x13" * 100_000, "cut off"),
    ],
)
def test_damage_is_named_with_its_byte(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        read(data)
    assert "\n" not in str(error.value)


def test_attributes_of_all_kinds() -> None:
    attr = schema.message("AttrValue")
    lists = attr()
    lists.list.i.extend([3, -4])
    shape = attr()
    shape.shape.dim.add(size=-1)
    tensor = attr()
    tensor.tensor.dtype, tensor.tensor.tensor_content = 9, b"\x07" + b"\0" * 7
    func = attr()
    func.func.name = "body"
    values = {"l": lists, "s": shape, "t": tensor, "f": func, "b": attr(b=False), "e": attr(), "x": attr(f=0.5)}
    node = schema.message("NodeDef")(name="a", op="B", device="/cpu:0", input=["x:1"])
    for key, value in values.items():
        node.attr.add(key=key, value=value.SerializeToString())
    assert read(part(1, node.SerializeToString())).nodes == (
        RawNode(
            "a",
            "B",
            ("x:1",),
            "/cpu:0",
            {
                "l": (3, -4),
                "s": Shape((-1,)),
                "t": TensorInfo(DType(9), Shape(()), (7,)),
                "f": FunctionRef("body"),
                "b": False,
                "x": 0.5,
            },
        ),
    )
