"""CRC-32C (Castagnoli), by which records of events files are checked."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

_POLYNOMIAL = 0x82F63B78  # reflected
_WIDTH, _ROWS = 256, 4096  # many rows of bytes are taken at once, a column at a time
_FEW = 16384  # up to so many bytes a plain loop is quicker

Registers = NDArray[np.uint32]


def crc32c(data: bytes) -> int:
    """The checksum. O(bytes), memory for a MiB of them.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    bits, place = 0xFFFFFFFF, 0
    while len(data) - place > _FEW:
        rows = min(_ROWS, (len(data) - place) // _WIDTH)
        bits = _of_rows(np.frombuffer(data, np.uint8, rows * _WIDTH, place).reshape(rows, _WIDTH), bits)
        place += rows * _WIDTH
    table = _bytes()[1]
    for byte in data[place:]:
        bits = table[(bits ^ byte) & 255] ^ bits >> 8
    return bits ^ 0xFFFFFFFF


def masked(checksum: int) -> int:
    """As TFRecord files store a checksum, so that one of data that hold checksums stays a good one."""
    return ((checksum >> 15 | checksum << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _of_rows(rows: NDArray[np.uint8], bits: int) -> int:
    """The register after all rows, from `bits` before them: CRC is linear, so rows may be taken apart and put together.

    What stands in the register before the first byte counts like the same bits in the first four bytes; and zeros
    before everything else count for nothing.
    """
    table = _bytes()[0]
    columns = np.ascontiguousarray(rows.T)
    columns[:4, 0] ^= np.frombuffer(bits.to_bytes(4, "little"), np.uint8)
    register = np.zeros(len(rows), np.uint32)
    for column in columns:
        register = table[(register ^ column) & 255] ^ register >> 8
    passing = _over_zeros()
    while len(register) > 1:  # neighbours are joined: the left one passes over as many zeros as the right one has bytes
        if len(register) % 2:
            register = np.r_[np.uint32(0), register]
        register = _apply(passing, register[0::2]) ^ register[1::2]
        passing = _apply(passing, passing)
    return int(register[0])


def _apply(passing: Registers, register: Registers) -> Registers:
    """Each register after the zeros that `passing` stands for: [32] what becomes of each single bit."""
    result = np.zeros_like(register)
    for bit in range(32):
        result ^= passing[bit] * (register >> np.uint32(bit) & np.uint32(1))
    return result


@cache
def _bytes() -> tuple[Registers, list[int]]:
    """[256] the register after one byte, for numpy and for a plain loop."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = table >> np.uint32(1) ^ np.uint32(_POLYNOMIAL) * (table & np.uint32(1))
    return table, table.tolist()


@cache
def _over_zeros() -> Registers:
    """[32] what becomes of each bit over a row of zeros."""
    register = np.uint32(1) << np.arange(32, dtype=np.uint32)
    for _ in range(_WIDTH):
        register = _bytes()[0][register & 255] ^ register >> np.uint32(8)
    return register
