import pytest
from hypothesis import given
from hypothesis import strategies as st

from pardnn.encoding import Malformed
from pardnn.encoding.wire import BYTES, FIXED32, FIXED64, VARINT, encoded_varint, fields, varint


def test_fields_of_all_kinds_have_their_places() -> None:
    group = b"\x3b\x08\x05\x0a\x02\x0b\x0b\x43\x44\x11" + b"\0" * 8 + b"\x3c"  # of varint, bytes, a group, fixed64
    data = b"\x08\x96\x01" + b"\x12\x02hi" + b"\x1d\0\0\0\0" + b"\x21" + b"\0" * 8 + group
    found = [
        (field.number, field.kind, data[field.start : field.end], field.value - field.start) for field in fields(data)
    ]
    assert found == [
        (1, VARINT, b"\x08\x96\x01", 1),
        (2, BYTES, b"\x12\x02hi", 2),
        (3, FIXED32, b"\x1d\0\0\0\0", 1),
        (4, FIXED64, b"\x21" + b"\0" * 8, 1),
        (7, 3, group, 1),
    ]


@given(st.integers(0, 2**64 - 1))
def test_a_number_comes_back(value: int) -> None:
    data = encoded_varint(value)
    assert varint(data, 0, len(data)) == (value, len(data))


@pytest.mark.parametrize(
    ("data", "offset", "message"),
    [
        (b"\x08", 1, "a number is cut off"),
        (b"\x08\xff", 1, "a number is cut off"),
        (b"\x08" + b"\x80" * 10 + b"\0", 1, "more than 10 bytes"),
        (b"\x08\x01\x12\x05hi", 2, "field 2 ends 3 bytes after"),
        (b"\x1d\0", 0, "field 3 ends 3 bytes after"),
        (b"\x06", 0, "no field number 0"),
        (b"\x0f", 0, "no wire type 7"),
        (b"\x0b\x0b\x0c", 3, "a number is cut off"),
        (b"\x0b\x12\x09", 1, "a group is cut off"),
    ],
)
def test_damage_has_its_place(data: bytes, offset: int, message: str) -> None:
    with pytest.raises(Malformed, match=message) as error:
        list(fields(data))
    assert error.value.offset == offset
