"""Hand-made graphs as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.graph.drawn import draw
from tests.readers.drawn import Printer


def text_of(drawing: str) -> bytes:
    """The drawing as protobuf prints it."""
    return Printer(0).nodes(list(draw(drawing).nodes))


def file_of(drawing: str, folder: Path, name: str = "graph.pbtxt") -> Path:
    """A text file of the drawing."""
    path = folder / name
    path.write_bytes(text_of(drawing))
    return path


def plan_at(path: Path) -> dict[str, Any]:
    """A plan file's content."""
    found: dict[str, Any] = json.loads(path.read_text())
    return found
