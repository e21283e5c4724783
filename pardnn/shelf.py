"""Plans kept for the next process: the same problem, asked in the same way, is not solved twice."""

from __future__ import annotations

import dataclasses
import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pardnn import __version__
from pardnn.config import Options
from pardnn.errors import InputError
from pardnn.placers.atomic import write_file
from pardnn.placers.plan import PlanFile, plan_bytes, read_plan
from pardnn.subject import Subject


def key_of(subject: Subject, options: Options) -> str:
    """64 hexadecimal digits that differ wherever the plan could: op names, every figure of the problem, the method."""
    digest = hashlib.sha256()
    asked = (
        __version__,
        options.method,
        options.effort,
        options.seed,
        options.time_limit,
        options.control_edges,
        subject.names,
    )
    for part in (repr(asked).encode(), *_parts(subject.problem)):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()


def _parts(value: Any) -> Iterator[bytes]:
    """The fields of a frozen value, and of those in it, as bytes."""
    if isinstance(value, np.ndarray):
        yield repr((value.dtype.str, value.shape)).encode()
        yield value.tobytes()
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _parts(getattr(value, field.name))
    else:
        yield repr(value).encode()


class Shelf:
    """A private directory of plan files; what goes wrong with it is told to nobody, for then plans are made anew."""

    def __init__(self, directory: Path | None = None) -> None:
        import platformdirs

        base = Path(os.environ.get("PARDNN_CACHE_DIR") or platformdirs.user_cache_dir("pardnn"))
        self._directory = directory or base / "plans"

    def get(self, key: str) -> PlanFile | None:
        """The plan of that key, None if there is none that can be read."""
        try:
            return read_plan(self._path(key)) if self._private() else None
        except InputError:
            return None

    def put(self, key: str, plan: PlanFile) -> bool:
        """Keep a plan. Returns whether that was possible."""
        try:
            self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            if not self._private():
                return False
            write_file(self._path(key), plan_bytes(plan), force=True)
        except (OSError, InputError):
            return False
        return True

    def _path(self, key: str) -> Path:
        return self._directory / f"{key}.placement.json"

    def _private(self) -> bool:
        """Whether the directory is there and nobody else can put plans into it."""
        try:
            found = self._directory.stat()
        except OSError:
            return False
        return found.st_uid == os.getuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
