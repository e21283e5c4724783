"""Packages that only experiments need, imported when they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pardnn.errors import InputError


def need(module: str, extra: str = "experiments") -> Any:
    """The module. Raises InputError that says what to install where it is not there."""
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise InputError(f"a sweep needs {package} here: pip install 'pardnn[{extra}]'") from None
