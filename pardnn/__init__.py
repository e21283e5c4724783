"""PARDNN: which op of a TensorFlow training graph runs on which GPU."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pardnn._world import verify

verify()

__version__ = "0.1.0"
__all__ = ["Plan", "advise", "build_on_host", "device_function", "partition", "place", "profile", "scale"]

if TYPE_CHECKING:
    from pardnn.answers.advice import advise
    from pardnn.answers.scaling import scale
    from pardnn.dropin import place
    from pardnn.pipeline import partition
    from pardnn.placers.byname import device_function
    from pardnn.placers.hosting import build_on_host
    from pardnn.plan import Plan
    from pardnn.profiling.run import profile

_HOME = {
    "Plan": "pardnn.plan",
    "advise": "pardnn.answers.advice",
    "build_on_host": "pardnn.placers.hosting",
    "device_function": "pardnn.placers.byname",
    "partition": "pardnn.pipeline",
    "place": "pardnn.dropin",
    "profile": "pardnn.profiling.run",
    "scale": "pardnn.answers.scaling",
}


def __getattr__(name: str) -> Any:
    """The public names, imported when they are first used: `import pardnn` itself stays light."""
    if name not in _HOME:
        raise AttributeError(f"module 'pardnn' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
