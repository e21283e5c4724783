"""`pardnn env`: what a bug report needs."""

from __future__ import annotations

from typing import Any

import click

from pardnn.cli import options
from pardnn.cli.voice import Voice

_PACKAGES = (
    "numpy", "numba", "llvmlite", "networkx", "pymetis", "ortools", "protobuf", "click", "rich", "platformdirs",
    "tensorflow", "keras",
)  # fmt: skip
_ALIASES = {"tensorflow": ("tensorflow", "tensorflow-cpu", "tf-nightly", "tensorflow-macos")}


@click.command(short_help="What a bug report needs: versions, platform, cache.")
@options.speech
def command(as_json: bool, quiet: bool, verbose: bool) -> int:
    """Show versions, platform and the cache of compiled kernels."""
    voice = Voice(as_json, quiet, verbose)
    found = _facts()
    if as_json:
        voice.dump(found)
    else:
        from pardnn.report.layout import facts

        versions = [(name, version or "not installed") for name, version in found["packages"].items()]
        rows = [(name, str(value)) for name, value in found.items() if name != "packages"]
        voice.show(facts(rows + versions))
    return 0


def _facts() -> dict[str, Any]:
    import os
    import platform
    import sys

    import pardnn
    from scheduler import _jit

    directory = _jit._cache_directory()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "pardnn": pardnn.__version__,
        "python": f"{platform.python_version()} ({sys.executable})",
        "platform": platform.platform(),
        "cores": cores,
        "kernel cache": _jit.cache_note() if directory is None else str(directory),
        "jit": "off" if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0") else "on",
        "packages": {name: _version(name) for name in _PACKAGES},
    }


def _version(name: str) -> str | None:
    """The version of an installed distribution; nothing is imported."""
    from importlib import metadata

    for alias in _ALIASES.get(name, (name,)):
        try:
            return metadata.version(alias)
        except metadata.PackageNotFoundError:
            continue
    return None
