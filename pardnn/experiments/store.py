"""A folder of finished cells: a file each, whole or absent, so that a sweep that was killed goes on where it was."""

from __future__ import annotations

import contextlib
import fcntl
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pardnn.errors import InputError
from pardnn.experiments.outcome import STATUS, Outcome
from pardnn.placers.atomic import write_file

FORMAT = "pardnn-cell/1"
_LEFTOVERS = ".pardnn-*.tmp"


class Store:
    """The outcomes kept in FOLDER/cells. Raises InputError where there can be none."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._cells = folder / "cells"
        if folder.exists() and not self._cells.is_dir() and (not folder.is_dir() or any(folder.iterdir())):
            raise InputError(f"{folder}: is there and holds no sweep: -o names another folder")

    def get(self, key: str) -> Outcome | None:
        """The outcome of that key; None if there is none, or its file is damaged."""
        try:
            return _outcome(json.loads(self._path(key).read_bytes()), key)
        except (OSError, ValueError):
            return None

    def put(self, outcome: Outcome) -> None:
        """Keep an outcome; it is safe on the disk when this returns."""
        text = json.dumps({"format": FORMAT, **asdict(outcome)}, sort_keys=True, allow_nan=False)
        write_file(self._path(outcome.key), f"{text}\n".encode(), force=True)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Make the folder, and have it to oneself until the end, be that a kill. Raises InputError if it is in use."""
        try:
            self._cells.mkdir(parents=True, exist_ok=True)
            lock = (self._cells / ".lock").open("w")
        except OSError as error:
            raise InputError(f"{self.folder}: cannot be written: {error.strerror or error}") from None
        with lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(f"{self.folder}: another sweep is at work there: wait, or name another -o") from None
            except OSError:  # a file system without locks: the worst that can happen is work done twice
                pass
            else:
                for left in self._cells.glob(_LEFTOVERS):
                    left.unlink(missing_ok=True)
            yield

    def _path(self, key: str) -> Path:
        return self._cells / f"{key}.json"


def _outcome(found: Any, key: str) -> Outcome:
    """What a file holds. Raises ValueError where that is no outcome of this key."""
    if not isinstance(found, dict) or found.pop("format", None) != FORMAT or found.get("key") != key:
        raise ValueError("not the cell of that key")
    try:
        outcome = Outcome(**found)
    except TypeError as error:
        raise ValueError(str(error)) from None
    if outcome.status not in STATUS or not outcome.lasting or not isinstance(outcome.figures, dict):
        raise ValueError("not an outcome")
    return outcome
