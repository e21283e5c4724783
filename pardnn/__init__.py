"""PARDNN: which op of a TensorFlow training graph runs on which GPU."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from pardnn._world import verify

verify()

__version__ = "0.1.0"
__all__ = ["Plan", "partition"]

if TYPE_CHECKING:
    from pardnn.pipeline import partition
    from pardnn.plan import Plan


class _Package(ModuleType):
    """This package: its public names are imported when they are first used, so that `import pardnn` stays light.

    `partition` is the function. Once the subpackage of that name is imported, Python would bind the name to that.
    """

    @property
    def partition(self) -> Any:
        """`pardnn.pipeline.partition`."""
        from pardnn.pipeline import partition

        return partition

    @partition.setter
    def partition(self, subpackage: ModuleType) -> None:
        """Let the name be; `from pardnn.partition.heft import Heft` does not need it."""

    @property
    def Plan(self) -> Any:  # noqa: N802 - the name of a class
        """`pardnn.plan.Plan`."""
        from pardnn.plan import Plan

        return Plan


sys.modules[__name__].__class__ = _Package
