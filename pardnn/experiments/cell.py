"""One cell of a sweep: a graph and the options it is decided under."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path

from pardnn import __version__
from pardnn.config import Options
from pardnn.machines.spec import preset_names

_MEASURED = "measured:"
Digest = Callable[[Path], tuple[str, int]]


@dataclass(frozen=True)
class Cell:
    """Everything that decides a row of the table, ready to be sent to another process or host."""

    graph: str
    """As the sweep names it, relative to its folder."""
    folder: str
    asked: Options
    """As the sweep has them, files relative to its folder too."""
    sha256: str
    """Of the graph; "" = it cannot be read."""
    files: tuple[tuple[str, str], ...]
    """(option, sha256 of the file it names) of each option that names one."""
    size: int
    """Bytes of the graph: about how much work the cell is."""
    version: str = __version__

    @classmethod
    def of(cls, graph: str, folder: Path, asked: Options, digest: Digest) -> Cell:
        """The cell with the digests of its files."""
        sha256, size = digest(folder / graph)
        named = {"machine": _machine_file(asked), "pin": asked.pin, "costs": _costs_file(asked)}
        files = tuple((option, digest(folder / name)[0]) for option, name in named.items() if name is not None)
        return cls(graph, str(folder), asked, sha256, files, size)

    @property
    def path(self) -> str:
        """Where the graph is."""
        return str(Path(self.folder) / self.graph)

    @property
    def options(self) -> Options:
        """The options with the places of their files."""
        folder, asked = Path(self.folder), self.asked
        machine, costs = _machine_file(asked), _costs_file(asked)
        return replace(
            asked,
            machine=asked.machine if machine is None else str(folder / machine),
            pin=asked.pin if asked.pin is None else str(folder / asked.pin),
            costs=asked.costs if costs is None else f"{_MEASURED}{folder / costs}",
        )

    @cached_property
    def key(self) -> str:
        """64 hexadecimal digits that differ wherever the result could, whatever folder the files lie in."""
        parts = {"version": self.version, "graph": self.graph, "sha256": self.sha256}
        text = json.dumps(parts | {"asked": asdict(self.asked), "files": self.files}, sort_keys=True)
        return hashlib.sha256(text.encode(errors="surrogateescape")).hexdigest()


def _machine_file(asked: Options) -> str | None:
    return None if asked.machine in preset_names() else asked.machine


def _costs_file(asked: Options) -> str | None:
    return asked.costs.removeprefix(_MEASURED) if asked.costs.startswith(_MEASURED) else None
