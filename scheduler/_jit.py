"""Compiled kernels: the one place that imports numba.

A kernel is a plain loop over raw arrays. `@kernel` compiles it at its first call, for the one signature its annotations
spell, and keeps the machine code in a private per-user directory; `@inner_kernel` does it for those that only kernels
call. Importing a module with kernels costs nothing; where
the cache cannot be used the kernels are compiled anew in each process, and `cache_note()` says so in one line.
With NUMBA_DISABLE_JIT=1 the loops run as plain Python.

Parameters are `int` (int64), `float`, and C-contiguous arrays: `In32`, `In64` are only read, so frozen arrays may be
given; `Out32`, `Out64`, `OutFlags` are written. `In64x2` is a matrix that is read. A NamedTuple of these is a parameter
too, if its class stands in a file of kernels; what it names `In...` must then be frozen.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import os
import re
import stat
import threading
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

In32 = Annotated[NDArray[np.int32], ("int32", 1, True)]
In64 = Annotated[NDArray[np.int64], ("int64", 1, True)]
In64x2 = Annotated[NDArray[np.int64], ("int64", 2, True)]
Out32 = Annotated[NDArray[np.int32], ("int32", 1, False)]
Out64 = Annotated[NDArray[np.int64], ("int64", 1, False)]
OutFlags = Annotated[NDArray[np.bool_], ("boolean", 1, False)]
_SCALARS = {int: "int64", float: "float64", type(None): "void"}

_lock = threading.RLock()
_notes: list[str] = []
_seconds: list[float] = []


def compile_seconds() -> float:
    """Seconds this process has spent importing numba and compiling or loading kernels."""
    return sum(_seconds)


def cache_note() -> str | None:
    """Why compiled kernels are not kept for the next process, or None."""
    return _notes[0] if _notes else None


class Kernel:
    """A function compiled at its first call; it may call other kernels by their module-level names.

    The way in from Python takes as long to compile as a small loop: a kernel that only kernels call is `inner`.
    """

    def __init__(self, function: types.FunctionType, inner: bool, part: bool = False) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self.inner = inner
        self.part = part
        self._compiled: Callable[..., Any] | None = None

    @property
    def name(self) -> str:
        """With its module."""
        return f"{self._function.__module__}.{self._function.__name__}"

    def __call__(self, *args: Any) -> Any:
        return (self._compiled or self.compile())(*args)

    def compile(self) -> Callable[..., Any]:
        """Compile now (or load from the cache) and return the callable."""
        with _lock:
            if self._compiled is None:
                linked = self._linked()  # compiles the kernels it calls, each on its own account
                started = time.perf_counter()
                self._compiled = self._build(linked)
                _seconds.append(time.perf_counter() - started)
        return self._compiled

    def _build(self, linked: types.FunctionType) -> Callable[..., Any]:
        if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
            return self._function
        if self.part:
            import numba

            lines: Callable[..., Any] = numba.njit(inline="always", error_model="numpy")(linked)
            return lines
        directory = _cache_directory()
        if directory is not None:
            try:
                return _njit(linked, self._signature(), self.inner, directory)
            except Exception as error:  # noqa: BLE001 - whatever a full disk or a damaged file makes numba raise
                _notes[:] = [f"compiled kernels are not cached ({error}): {directory} cannot be used"]
        return _njit(linked, self._signature(), self.inner, None)

    def _signature(self) -> Any:
        """The annotations as a numba signature."""
        hints = get_type_hints(self._function, include_extras=True)
        result = _numba_type(hints.pop("return", type(None)))
        return result(*(_numba_type(hint) for hint in hints.values()))

    def _linked(self) -> types.FunctionType:
        """The function with the kernels it names replaced by their compiled form, which numba can call."""
        source, scope = self._function, dict(self._function.__globals__)
        for name in source.__code__.co_names:
            if isinstance(scope.get(name), Kernel):
                scope[name] = scope[name].compile()
        linked = types.FunctionType(source.__code__, scope, source.__name__, source.__defaults__, source.__closure__)
        linked.__qualname__, linked.__module__ = source.__qualname__, source.__module__
        return linked


def _numba_type(hint: Any) -> Any:
    """The numba type of an annotation: a scalar, an array, or a NamedTuple of such."""
    from numba import types as numba_types

    if hint in _SCALARS:
        return getattr(numba_types, _SCALARS[hint])
    if hasattr(hint, "__metadata__"):
        item, dimensions, readonly = hint.__metadata__[0]
        return numba_types.Array(getattr(numba_types, item), dimensions, "C", readonly=readonly)
    fields = get_type_hints(hint, include_extras=True).values()
    return numba_types.NamedTuple([_numba_type(field) for field in fields], hint)


def _njit(function: types.FunctionType, signature: Any, inner: bool, directory: Path | None) -> Callable[..., Any]:
    """The function compiled by numba, kept in `directory` if there is one."""
    import numba

    previous, collecting = numba.config.CACHE_DIR, gc.isenabled()
    numba.config.CACHE_DIR = str(directory or "")
    gc.disable()  # numba makes many objects, hardly any of them garbage: a tenth of the time
    try:
        compiled: Callable[..., Any] = numba.njit(
            signature, error_model="numpy", cache=directory is not None, nogil=True,
            no_cfunc_wrapper=True, no_cpython_wrapper=inner,
        )(function)  # fmt: skip
    finally:
        numba.config.CACHE_DIR = previous
        if collecting:
            gc.enable()
    return compiled


def kernel(function: Callable[..., Any]) -> Kernel:
    """Decorator: compile the function at its first call, for the signature its annotations spell."""
    assert isinstance(function, types.FunctionType)
    return Kernel(function, inner=False)


def inner_kernel(function: Callable[..., Any]) -> Kernel:
    """Decorator: the same for a function that only kernels call."""
    assert isinstance(function, types.FunctionType)
    return Kernel(function, inner=True)


def kernel_part(function: Callable[..., Any]) -> Kernel:
    """Decorator: the same for one whose lines become part of the kernels that call it, where a call costs too much."""
    assert isinstance(function, types.FunctionType)
    return Kernel(function, inner=True, part=True)


@functools.cache
def _cache_directory() -> Path | None:
    """A directory that belongs to this user alone, one per state of the kernels' sources; None if there is none."""
    try:
        import platformdirs

        base = Path(os.environ.get("PARDNN_CACHE_DIR") or platformdirs.user_cache_dir("pardnn"))
        if not base.is_absolute() or str(base).startswith("~"):
            raise OSError("no home directory")
        directory = base / f"kernels-{_fingerprint()}"
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = directory.stat()
        if found.st_uid != os.getuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise OSError(f"{directory} can be written by others")
        probe = directory / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except (OSError, RuntimeError) as error:
        reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        _notes.append(f"compiled kernels are not cached ({reason}); set PARDNN_CACHE_DIR to a private directory")
        return None
    return directory


def sources() -> list[Path]:
    """All files that hold kernels."""
    root = Path(__file__).parent
    paths = [path for package in (root, root.parent / "pardnn") for path in sorted(package.rglob("*.py"))]
    return [path for path in paths if re.search(rb"kernel(_part)?\ndef ", path.read_bytes())]


def _fingerprint() -> str:
    """Hash of all source files that hold kernels: numba itself notices a change in the calling file only."""
    digest = hashlib.sha256()
    for path in sources():
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]
