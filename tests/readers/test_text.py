"""The text reader: the forms protobuf allows, and where an error is said to be."""

import pytest

from pardnn.encoding import where
from pardnn.errors import InputError
from pardnn.graph.raw import DType, RawNode, Shape, TensorInfo
from pardnn.readers.file import File
from pardnn.readers.graph import parse_graph
from pardnn.readers.text import read_text

TWO = Shape((2,))


def nodes(data: bytes) -> tuple[RawNode, ...]:
    return read_text(data).nodes


@pytest.mark.parametrize(
    "data",
    [
        b'node { name: "a" op: "B" input: "x" input: "^y" }',
        b'node: < name: "a"; op: "B", input: "x"; input: "^y"; >;',
        b"node{name:'a'op:'B'input:'x'input:'^y'}",
        b'node { name: "" "a" op: \'B\' input: ["x", "^y"] }',
        b'node [ { name: "a" op: "B" input: "x" # input: "z" }\n input: "^y" } ]',
        b'node { # {\n name # name:\n : # "b"\n "a" op: "B" unknown { s: "}" } input: "x" [e.f]: 1 input: "\\x5ey" }',
        b'node { name: "\\141" op: "B" input: "\\170" input: "\\u005ey" } versions { producer: 1 }',
        b'node { name: "b" name: "a" op: "B" input: "x" input: "^y" }',
    ],
)
def test_spellings_of_one_graph(data: bytes) -> None:
    assert nodes(data) == (RawNode("a", "B", ("x", "^y")),)


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (b"i: -5", -5),
        (b"i: - 5", -5),
        (b"i: 0x1F", 31),
        (b"i: 017", 15),
        (b"b: True", True),
        (b"b: 0", False),
        (b"f: 1.5f", 1.5),
        (b"f: 0.1", 0.10000000149011612),
        (b"f: 1e60", float("inf")),
        (b"f: -inf", float("-inf")),
        (b"type: DT_FLOAT", DType(1)),
        (b"type: DT_FLOAT_REF", DType(101)),
        (b"type: 77", DType(77)),
        (b"type: DT_OF_TOMORROW", DType(0)),
        (b's: "\\001\\"\\\'\\n"', b"\x01\"'\n"),
        (b"list { i: [1, 2, # three\n 3] }", (1, 2, 3)),
        (b"list { i: 1 i: 2 # x\n i: 3 }", (1, 2, 3)),
        (b"list { }", ()),
        (b"shape { dim { size: -1 } dim { } }", Shape((-1, 0))),
        (b"shape { unknown_rank: true }", Shape(None)),
        (b"tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: 7 }", TensorInfo(DType(3), TWO, (7, 7))),
        (b"tensor { dtype: DT_INT32 tensor_shape { dim { size: 2 } } }", TensorInfo(DType(3), Shape((2,)), (0, 0))),
        (b"tensor { dtype: DT_HALF tensor_shape { } half_val: 0 }", TensorInfo(DType(19), Shape(()))),
        (b"tensor { dtype: DT_BOOL tensor_shape { } bool_val: true }", TensorInfo(DType(10), Shape(()), (True,))),
        (
            b'tensor { dtype: DT_INT64 tensor_shape { dim { size: 1 } } tensor_content: "\\005\\0\\0\\0\\0\\0\\0\\0" }',
            TensorInfo(DType(9), Shape((1,)), (5,)),
        ),
        (
            b"tensor { dtype: DT_INT32 tensor_shape { dim { size: 65 } } int_val: 1 }",
            TensorInfo(DType(3), Shape((65,))),
        ),
    ],
)  # fmt: skip
def test_values_of_attributes(written: bytes, value: object) -> None:
    data = b'node { name: "a" op: "B" attr { key: "k" value { ' + written + b" } } }"
    assert nodes(data)[0].attrs == {"k": value}
    assert type(nodes(data)[0].attrs["k"]) is type(value)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'node {\n name: "a"\n op "b"\n}', r"3: field 'op' lacks a ':'"),
        (b'node {\n name: "a\n op: "b"\n}', r"2: a string does not end on its line"),
        (b'node {\n name: "a"\n}}', r"3: '}' closes nothing"),
        (b'node <\n name: "a"\n}', r"3: '}' closes nothing"),
        (b'node {\n name: "a"\n\n', r"4: field 'node' does not end: is the file cut off"),
        (b'node {\n name: ["a",\n', r"3: the list of field 'name' does not end"),
        (b'node { name: "a" op: "b" }\n"stray"', r"2: a field name is expected, not '\"stray\"'"),
        (b"node { name: {} }", r"1: a plain value is expected, not a message"),
        (b"node: 5", r"1: a message in braces is expected, not '5'"),
        (b'\n\nnode { name: "\\377" }', r"3: a name is not UTF-8"),
        (b'\nnode { name: "\\q" }', r"2: a string holds an escape that is none"),
        (b'\nnode { name: "a" attr { key: "k" value { i: 1.5 } } }', r"2: .*'k': a whole number .*, not '1.5'"),
        (b'node { attr { key: "k" value { i: 9223372036854775808 } } }', "more than 64 bits"),
        (b'layer { name: "caffe" }', "no field of a TensorFlow graph"),
        (b'node { op: "b" }', "node number 0 has no name"),
        (b'node { name: "a" }', "node 'a' has no op"),
    ],
)  # fmt: skip
def test_errors_name_the_line(data: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        parse_graph(File(data, gzip=False, sha256=""), "g")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("brace", [b"node {", b"node { attr { a: [", b"x: <"])
def test_depth_is_no_matter(brace: bytes) -> None:
    with pytest.raises(InputError, match="cut off"):
        parse_graph(File(brace * 100_000, gzip=False, sha256=""), "g")


def test_a_large_constant_is_stepped_over() -> None:
    content = b'\\000\\377\\"' * 200_000
    data = b'node { name: "a" op: "Const" attr { key: "value" value { tensor { dtype: DT_INT32 tensor_shape { dim {\n'
    data += b'size: 600000 } } tensor_content: "' + content + b'" } } } }\n'
    data += (
        b'node { name: "b" op: "Const" attr { key: "v" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size:\n'
    )
    data += b"300000 } } " + b"float_val: 0.25 " * 300_000 + b"} } } }"
    assert [node.attrs for node in nodes(data)] == [
        {"value": TensorInfo(DType(3), Shape((600_000,)))},
        {"v": TensorInfo(DType(1), Shape((300_000,)))},
    ]


def test_nul_bytes_in_the_wrong_place_are_an_error_and_in_a_string_a_name() -> None:
    with pytest.raises(InputError, match=r"1: "):
        parse_graph(File(b'node { \0 name: "a" }', gzip=False, sha256=""), "g")
    assert nodes(b'node { name: "a\0" op: "b" }') == (RawNode("a\0", "b"),)


def test_the_place_of_an_error() -> None:
    assert where(b"a\nb\nc", 4, text=True) == "3"
    assert where(b"a\nb\nc", 4, text=False) == "byte 4"
