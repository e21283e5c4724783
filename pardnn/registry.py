"""What there is: every algorithm registers itself under the name the user types.

A new one is one file with a decorator; it then appears on the command line, in `pardnn methods` and in the tests'
matrix.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from pardnn.errors import InputError

T = TypeVar("T")


@dataclass(frozen=True)
class Entry(Generic[T]):
    """One registered thing: its name, what it is in half a line, and what makes it (`make()` takes its defaults)."""

    name: str
    summary: str
    make: Callable[..., T]
    start: bool = True
    """Whether `auto` starts from it too."""


class Registry(Generic[T]):
    """Names of one kind, found by importing every module of `package` the first time they are asked for."""

    def __init__(self, kind: str, package: str) -> None:
        self._kind, self._package = kind, package
        self._entries: dict[str, Entry[T]] = {}
        self._loaded = False

    def register(self, *names: str, summary: str = "", start: bool = True) -> Callable[[Callable[..., T]], Any]:
        """Decorator for the class or function behind the names; two owners of one name are a bug."""

        def wrap(make: Callable[..., T]) -> Callable[..., T]:
            for name in names:
                assert name not in self._entries, f"{self._kind} {name!r} is registered twice"
                self._entries[name] = Entry(name, summary, make, start)
            return make

        return wrap

    def all(self) -> Mapping[str, Entry[T]]:
        """Every entry by name, sorted."""
        if not self._loaded:
            package = importlib.import_module(self._package)
            for module in pkgutil.walk_packages(package.__path__, f"{self._package}."):
                importlib.import_module(module.name)
            self._loaded = True
        return MappingProxyType(dict(sorted(self._entries.items())))

    def get(self, name: str) -> Entry[T]:
        """The entry of that name; InputError lists what there is."""
        entries = self.all()
        if name not in entries:
            raise InputError(f"no {self._kind} {name!r}; there are: {', '.join(entries)}")
        return entries[name]


partitioners: Registry[Any] = Registry("method", "pardnn.partitioners")
partitioner = partitioners.register

strategies: Registry[Any] = Registry("strategy", "pardnn.distribute.strategies")
strategy = strategies.register
