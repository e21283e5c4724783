"""How protobuf messages are written down, as text and as bytes; what they mean is the readers' and the placers' matter.

Both forms are walked without a schema, so a file can be read where it is understood and rewritten where it must change.
"""

from __future__ import annotations


class Malformed(ValueError):  # noqa: N818 - it becomes an InputError where the file's name is known
    """What breaks the syntax and where: `offset` counts bytes from the beginning of the data."""

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(reason)
        self.offset = offset


def where(data: bytes, offset: int, *, text: bool) -> str:
    """Where an offset lies as a person looks for it: the line of a text, counted from 1; the byte of anything else."""
    return str(data.count(b"\n", 0, offset) + 1) if text else f"byte {offset}"
