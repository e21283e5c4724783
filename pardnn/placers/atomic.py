"""Output files that are whole or absent, all of them or none."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from pardnn.errors import InputError


def write_file(path: str | Path, data: bytes, *, force: bool = False) -> None:
    """`write_files` of one file."""
    write_files([(path, data)], force=force)


def write_files(files: Sequence[tuple[str | Path, bytes]], *, force: bool = False) -> None:
    """Put data at each path: whoever looks at one finds the old state or the new one, also after a full disk.

    All are written beside their targets before the first is moved there, and if a later move fails the earlier ones are
    taken back, so that an error leaves all as it was; only a kill between two moves can leave some old, some new.
    A file that exists is kept unless `force`; where a path is a link, the file behind it is written and the link stays.
    What is no regular file (/dev/stdout, a pipe) is simply written to, after all others. Raises InputError.
    """
    with ExitStack() as tidy, ExitStack() as undo:
        streams, ready = [], []
        for path, data in files:
            refuse_existing(path, force=force)
            target = Path(os.path.realpath(path))
            with _told(path):
                mode = _mode(target)
                if mode is None or stat.S_ISREG(mode):
                    ready.append((path, _written(_beside(target, tidy), data, mode), target))
                else:
                    streams.append((path, data, target))
        for path, beside, target in ready:
            with _told(path):
                if len(files) > 1:
                    _remember(beside, target, tidy, undo)
                if force:
                    beside.replace(target)
                else:
                    _move_if_free(beside, target)
        for path, data, target in streams:
            with _told(path):
                target.write_bytes(data)
        undo.pop_all()


def refuse_existing(path: str | Path, *, force: bool = False) -> None:
    """Raise InputError where `write_files` would refuse: ask before the work, not after it."""
    try:
        mode = _mode(Path(path))
    except (OSError, ValueError) as error:
        raise InputError(f"{str(path)!a}: cannot be written: {error}") from None
    if mode is not None and stat.S_ISDIR(mode):
        raise InputError(f"{path}: is a directory; name a file in it")
    if mode is not None and stat.S_ISREG(mode) and not force:
        raise _exists(path)
    if not Path(os.path.realpath(path)).parent.is_dir():
        raise InputError(f"{path}: there is no directory {Path(path).parent}; make it first")


@contextlib.contextmanager
def _told(path: str | Path) -> Iterator[None]:
    """What goes wrong with a file, as an error with its name."""
    try:
        yield
    except FileExistsError:
        raise _exists(path) from None
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None


def _exists(path: str | Path) -> InputError:
    """The refusal to overwrite."""
    return InputError(f"{path}: exists already; --force replaces it, -o names another file")


def _mode(path: Path) -> int | None:
    """The kind and permissions of what is there, None if nothing is."""
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _beside(target: Path, tidy: ExitStack) -> Path:
    """A free name beside the target; what stands there in the end is taken away."""
    beside = target.parent / f".pardnn-{secrets.token_hex(8)}.tmp"
    tidy.callback(_remove, beside)
    return beside


def _written(beside: Path, data: bytes, mode: int | None) -> Path:
    """The new file with its data safe on the disk, and with the permissions of the one it is to replace."""
    with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
        if mode is not None:
            os.fchmod(file.fileno(), stat.S_IMODE(mode))
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return beside


def _remember(beside: Path, target: Path, tidy: ExitStack, undo: ExitStack) -> None:
    """Have `undo` put back what is at the target now: the old file, kept under a second name, or nothing."""
    if not target.exists():
        undo.callback(_remove_if, target, beside.stat())
        return
    kept = _beside(target, tidy)
    try:
        os.link(target, kept)
    except OSError:  # a file system without hard links
        shutil.copy2(target, kept)
    undo.callback(kept.replace, target)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _remove_if(path: Path, ours: os.stat_result) -> None:
    """Take away what we put there, but not what another process did."""
    with contextlib.suppress(OSError):
        if os.path.samestat(path.stat(), ours):
            path.unlink()


def _move_if_free(beside: Path, target: Path) -> None:
    """Move without replacing: a link cannot overwrite what another process has put there meanwhile."""
    try:
        os.link(beside, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without hard links
        beside.replace(target)
