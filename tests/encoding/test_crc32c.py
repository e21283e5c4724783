"""CRC-32C against its published values and against a loop over bits."""

import random

import pytest

from pardnn.encoding.crc32c import crc32c, masked


def bitwise(data: bytes) -> int:
    bits = 0xFFFFFFFF
    for byte in data:
        bits ^= byte
        for _ in range(8):
            bits = bits >> 1 ^ (0x82F63B78 if bits & 1 else 0)
    return bits ^ 0xFFFFFFFF


@pytest.mark.parametrize(
    ("data", "checksum"),
    [
        (b"", 0),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
    ],
    ids=["empty", "check", "zeros", "ones", "rising"],
)
def test_published_values(data: bytes, checksum: int) -> None:
    """Of RFC 3720, B.4."""
    assert crc32c(data) == checksum


@pytest.mark.parametrize("size", [3, 16384, 16385, 16640, 17000, 65536 + 257, 1048576 + 16385 + 70])
def test_many_bytes_at_once_are_as_one_by_one(size: int) -> None:
    data = random.Random(size).randbytes(size)
    assert crc32c(data) == bitwise(data)


def test_the_mask_of_tfrecord() -> None:
    """The length 0 and its masked checksum, as every empty record begins."""
    assert masked(crc32c(bytes(8))).to_bytes(4, "little") == b"\x29\x03\x98\x07"
