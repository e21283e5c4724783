"""How a result came about: what someone needs to get the same one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Origin:
    """Command, versions, input and machine, as words; no times of day, so that the same run gives the same bytes."""

    command: str
    facts: Sequence[tuple[str, str]] = ()
    """Name and value, such as ("seed", "0")."""
    versions: Mapping[str, str] = field(default_factory=dict)
