"""The scanner of the text format: places of fields, messages entered, strings and numbers."""

import pytest

from pardnn.encoding import Malformed
from pardnn.encoding.literals import atoms, boolean, integer, quote, real, unquote
from pardnn.encoding.text import check, inside, message, scan


def test_fields_have_their_places() -> None:
    data = b'a: 1, b { c: "x" } # d: 4\n[e.f] <> g: [1, 2]'
    found = [(field.name, field.value, data[field.start : field.end]) for field in scan(data)]
    assert found == [
        (b"a", b"1", b"a: 1"),
        (b"b", [(b"c", b'"x"')], b'b { c: "x" }'),
        (b"[e.f]", [], b"[e.f] <>"),
        (b"g", b"[1, 2]", b"g: [1, 2]"),
    ]


def test_entered_messages_come_field_by_field_then_emptied() -> None:
    data = b"graph { node { } library { f: 1 } } graph { } library: 2"
    found = [(field.path, field.name, field.value) for field in scan(data, enter=(b"graph", b"library"))]
    assert found == [
        ((b"graph",), b"node", []),
        ((b"graph", b"library"), b"f", b"1"),
        ((b"graph",), b"library", []),
        ((), b"graph", []),
        ((), b"graph", []),
        ((), b"library", b"2"),
    ]


@pytest.mark.parametrize(
    "value", [b"{ a: 1 b { c: 'x' } a: 2 }", b'{a:1 b<c:"x">a:2}', b"{ a: 1, # }\n b: { c: 'x' } a: 2}"]
)
def test_a_message_opens_to_names_and_values(value: bytes) -> None:
    fields = message(value)
    assert [name for name, _ in fields] == [b"a", b"b", b"a"]
    ((name, text),) = message(fields[1][1])
    assert (name, unquote(text) if isinstance(text, bytes) else None) == (b"c", b"x")


def test_simple_messages_inside_others_stay_as_written() -> None:
    (field,) = scan(b'a { b { c { d: 1 } } b { c <> } e { s: "\\"}" } }')
    assert field.value == [(b"b", b"{ c { d: 1 } }"), (b"b", [(b"c", [])]), (b"e", b'{ s: "\\"}" }')]


def test_numbers_in_a_row_are_one_value() -> None:
    (field,) = scan(b"v: 1 v: -2;\n v: 0x3")
    assert isinstance(field.value, bytes)
    assert [integer(atom) for atom in atoms(field.value)] == [1, -2, 3]
    assert atoms(b"[1, # one\n - 2]") == [b"1", b"- 2"]


def test_the_inside_of_a_message() -> None:
    data = b"a : # {\n { b: 1 } c [ < d: 2 > ]"
    assert [data[slice(*inside(data, field))] for field in scan(data)] == [b" b: 1 ", b" d: 2 "]
    (scalar,) = scan(b"a: 5")
    with pytest.raises(ValueError, match="no message"):
        inside(b"a: 5", scalar)


def test_check_finds_what_a_simple_message_hides() -> None:
    data = b"a { b { c d } }"
    assert len(list(scan(data))) == 1
    with pytest.raises(Malformed, match="field 'c' lacks") as error:
        check(data, 0, len(data))
    assert error.value.offset == 8


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (rb'"\a\b\f\n\r\t\v\\\'\"\?"', b"\a\b\f\n\r\t\v\\'\"?"),
        (rb'"\0\12\1234\xf\x41g"', b"\0\x0aS4\x0fAg"),
        (rb'"\u00e9\U0001F600"', "é\U0001f600".encode()),
        (b"'a' # 'b'\n \"c\"", b"ac"),
        (b"'a\"b'", b'a"b'),
    ],
)
def test_strings(raw: bytes, value: bytes) -> None:
    assert unquote(raw) == value


@pytest.mark.parametrize("raw", [b"abc", rb'"\9"', rb'"\ud800"', rb'"\U00110000"', rb'"\xg"'])
def test_what_is_no_string(raw: bytes) -> None:
    with pytest.raises(ValueError, match="string"):
        unquote(raw)


@pytest.mark.parametrize("raw", [b"1.5", b"08", b"0x", b"1e3", b"9" * 30, b"9" * 5000, b"", b"--1"])
def test_what_is_no_whole_number(raw: bytes) -> None:
    with pytest.raises(ValueError, match=r"whole number|64 bits"):
        integer(raw)


def test_reals_and_truth() -> None:
    assert [real(raw) for raw in (b"1.5F", b"-inf", b"infinity", b"- 2", b"1e99")] == [
        1.5, float("-inf"), float("inf"), -2.0, float("inf"),
    ]  # fmt: skip
    assert real(b"nan") != real(b"nan")
    assert (boolean(b"t"), boolean(b"False")) == (True, False)
    for raw in (b"yes", b"1.5.5"):
        with pytest.raises(ValueError, match="expected"):
            boolean(raw)
        with pytest.raises(ValueError, match="expected"):
            real(raw)


def test_a_quoted_string_is_printable_and_comes_back() -> None:
    text = 'a"\\\n\x00é'
    assert quote(text) == b'"a\\"\\\\\\012\\000\\303\\251"'
    assert unquote(quote(text)).decode() == text
