"""Output files that are whole or absent."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

from pardnn.errors import InputError


def write_file(path: str | Path, data: bytes, *, force: bool = False) -> None:
    """Put `data` at `path` in one step: whoever looks finds the old state or the new one, also after a full disk.

    A file that exists is kept unless `force`; where `path` is a link, the file behind it is written and the link stays.
    What is no regular file (/dev/stdout, a pipe) is simply written to. Raises InputError.
    """
    refuse_existing(path, force=force)
    target = Path(os.path.realpath(path))
    try:
        mode = _mode(target)
        if mode is not None and not stat.S_ISREG(mode):
            target.write_bytes(data)
            return
        _replace(target, data, mode, force=force)
    except FileExistsError:
        raise _exists(path) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None


def refuse_existing(path: str | Path, *, force: bool = False) -> None:
    """Raise InputError where `write_file` would refuse: ask before the work, not after it."""
    try:
        mode = _mode(Path(path))
    except (OSError, ValueError) as error:
        raise InputError(f"{str(path)!a}: cannot be written: {getattr(error, 'strerror', None) or error}") from None
    if mode is not None and stat.S_ISDIR(mode):
        raise InputError(f"{path}: is a directory; name a file in it")
    if mode is not None and stat.S_ISREG(mode) and not force:
        raise _exists(path)
    if not Path(os.path.realpath(path)).parent.is_dir():
        raise InputError(f"{path}: there is no directory {Path(path).parent}; make it first")


def _exists(path: str | Path) -> InputError:
    """The refusal to overwrite."""
    return InputError(f"{path}: exists already; --force replaces it, -o names another file")


def _mode(path: Path) -> int | None:
    """The kind and permissions of what is there, None if nothing is."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _replace(target: Path, data: bytes, mode: int | None, *, force: bool) -> None:
    """Write beside the target, then move there; nothing is left behind on the way."""
    beside = target.parent / f".pardnn-{secrets.token_hex(8)}.tmp"
    try:
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
            if mode is not None:
                os.fchmod(file.fileno(), stat.S_IMODE(mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if force:
            beside.replace(target)
        else:
            _move_if_free(beside, target)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise


def _move_if_free(beside: Path, target: Path) -> None:
    """Move without replacing: a link cannot overwrite what another process has put there meanwhile."""
    try:
        os.link(beside, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        beside.replace(target)
    else:
        beside.unlink()
