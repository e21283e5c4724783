"""TOML tables read with care: every error names the file, the key and what would be right."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pardnn.errors import InputError
from pardnn.units import parse_rate, parse_size, parse_time

T = TypeVar("T")
_LARGEST_FILE = 1_000_000


@dataclass(frozen=True)
class Table:
    """One TOML table and where it stands ("lab.toml", "gpu[0].")."""

    file: str
    path: str
    values: dict[str, Any]

    def fault(self, key: str, what: str) -> InputError:
        """The error that `key` is wrong in this way."""
        return InputError(f"{self.file}: {self.path}{key}: {what}")

    def only(self, *keys: str) -> None:
        """Raises InputError on a key that is none of these: a misspelt key must not be ignored."""
        for key in self.values:
            if key not in keys:
                raise self.fault(key, f"unknown key; known here: {', '.join(keys)}")

    def text(self, key: str, default: str | None = None) -> str:
        """A non-empty string."""
        value = self.values.get(key, default)
        if not isinstance(value, str) or not value.strip():
            raise self.fault(key, "missing" if value is None else f"a text is needed, not {value!r}")
        return value

    def number(self, key: str, default: float | None = None) -> float:
        """A positive finite number."""
        value = self.values.get(key, default)
        if value is None:
            raise self.fault(key, "missing")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < float("inf"):
            raise self.fault(key, f"a positive number is needed, not {value!r}")
        return float(value)

    def count(self, key: str, default: int, largest: int) -> int:
        """A whole number from 1 to `largest`."""
        value = self.values.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= largest:
            raise self.fault(key, f"a whole number from 1 to {largest} is needed, not {value!r}")
        return value

    def time_ns(self, key: str) -> int:
        """A time such as "10us"."""
        return self._quantity(key, parse_time)

    def bytes_per_s(self, key: str) -> int:
        """A positive rate such as "12GB/s"."""
        return self._positive(key, self._quantity(key, parse_rate))

    def bytes(self, key: str) -> int | None:
        """A positive size such as "16GB"; "unlimited" is None."""
        if self.values.get(key) == "unlimited":
            return None
        return self._positive(key, self._quantity(key, parse_size))

    def tables(self, key: str) -> Iterator[Table]:
        """The tables of an array `[[key]]`, none if it is absent."""
        values = self.values.get(key, [])
        if not isinstance(values, list) or not all(isinstance(value, dict) for value in values):
            raise self.fault(key, f"tables are needed: [[{key}]]")
        for number, value in enumerate(values):
            yield Table(self.file, f"{self.path}{key}[{number}].", value)

    def table(self, key: str) -> Table:
        """The table `[key]`, empty if it is absent."""
        value = self.values.get(key, {})
        if not isinstance(value, dict):
            raise self.fault(key, f"a table is needed: [{key}]")
        return Table(self.file, f"{self.path}{key}.", value)

    def _quantity(self, key: str, parse: Callable[[str], T]) -> T:
        value = self.values.get(key)
        if value is None:
            raise self.fault(key, "missing")
        try:
            return parse(value if isinstance(value, str) else "" if isinstance(value, bool) else str(value))
        except InputError as error:
            raise self.fault(key, str(error)) from None

    def _positive(self, key: str, value: int) -> int:
        if value <= 0:
            raise self.fault(key, f"more than 0 is needed, not {self.values[key]!r}")
        return value


def read_table(path: Path) -> Table:
    """The TOML file as one table. Raises InputError if it cannot be read or is not TOML."""
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise InputError(f"{path}: over {_LARGEST_FILE} bytes; a machine file has a few lines")
        return Table(str(path), "", tomllib.loads(path.read_text("utf-8-sig")))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InputError(f"{path}: not a TOML file: {' '.join(str(error).split())}") from None
