"""What files hold, as digits: a cell is known by the content of its files, not by their names."""

from __future__ import annotations

import hashlib
from pathlib import Path


class Digests:
    """sha256 and size of files, each read once."""

    def __init__(self) -> None:
        self._known: dict[Path, tuple[str, int]] = {}

    def __call__(self, path: Path) -> tuple[str, int]:
        """(sha256 in hexadecimal, bytes) of a file; ("", 0) of one that cannot be read."""
        if path not in self._known:
            self._known[path] = _digest(path)
        return self._known[path]


def _digest(path: Path) -> tuple[str, int]:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest(), file.tell()
    except (OSError, ValueError):  # the cell tells what is wrong with it
        return "", 0
