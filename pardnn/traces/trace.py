"""A trace of one training step, whatever program wrote it: which op ran where, when, how long."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Event(NamedTuple):
    """One run of one op, or of one of its kernels."""

    track: str
    """The row it stands in: a device, or a stream of one."""
    name: str
    """As the runtime calls the op."""
    op: str
    """The op's type, "" where the trace does not say."""
    start_ns: int
    duration_ns: int
    output_bytes: int | None = None
    temp_bytes: int | None = None
    """The most scratch at a time; None = the trace does not say."""


@dataclass(frozen=True, eq=False)
class Trace:
    """The events of one step, in the order of the file."""

    path: str
    """The file's name, or what else it is from."""
    events: tuple[Event, ...]
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Events of the file that are not among these, by reason."""
