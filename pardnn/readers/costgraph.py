"""Cost graphs: a graph with times and sizes in JSON columns, as benchmarks and other tools exchange them."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pardnn.errors import InputError
from scheduler.dag import Dag

_LARGEST = 2.0**62  # of a value and of the sum of a column, so that sums stay exact in int64
_PIN_HINT = "a text or null"


@dataclass(frozen=True, eq=False)
class CostGraph:
    """n nodes with costs and m edges in file order, the arrays read-only.

    time_ns, resident_bytes, output_bytes, temp_bytes: int64 [n]; src, dst: int32 [m]; edge_bytes: int64 [m], 0 for a
    control edge. `colocate` names a group, `device` a pin, each None where a node has none.
    """

    names: tuple[str, ...]
    ops: tuple[str, ...]
    time_ns: NDArray[np.int64]
    resident_bytes: NDArray[np.int64]
    output_bytes: NDArray[np.int64]
    temp_bytes: NDArray[np.int64]
    src: NDArray[np.int32]
    dst: NDArray[np.int32]
    edge_bytes: NDArray[np.int64]
    colocate: tuple[str | None, ...] = field(default=())
    device: tuple[str | None, ...] = field(default=())

    def __post_init__(self) -> None:
        for name in ("colocate", "device"):
            if not getattr(self, name):
                object.__setattr__(self, name, (None,) * len(self.names))
        for column in fields(self):
            value = getattr(self, column.name)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    @cached_property
    def dag(self) -> Dag:
        """The bare graph."""
        return Dag.from_edges(len(self.names), self.src, self.dst)

    def __eq__(self, other: object) -> bool:
        """Equal in every column."""
        if not isinstance(other, CostGraph):
            return NotImplemented
        return all(np.array_equal(getattr(self, c.name), getattr(other, c.name)) for c in fields(self))

    __hash__ = None  # type: ignore[assignment]


def read_cost_graph(data: bytes, path: str | Path) -> CostGraph:
    """The cost graph in JSON bytes; times rounded to nanoseconds, sizes to bytes (half goes up); O(bytes).

    Raises InputError with the file and the column, and the first node or edge where something is wrong.
    """
    read = _Columns(_parse(data, path), path)
    times = read.numbers("time", 1000.0)
    n = len(times)
    if n == 0:
        raise InputError(f"{path}: the cost graph has no nodes")
    src, dst = read.ids("src", n), read.ids("dst", n)
    read.same_length("dst", dst, "src", src)
    sizes = read.numbers("bytes", 1.0)
    read.same_length("bytes", sizes, "src", src)
    return CostGraph(
        names=read.names(n),
        ops=read.texts("op", n, "a text") or ("",) * n,  # type: ignore[arg-type]
        time_ns=times,
        **{f"{name}_bytes": read.per_node(name, n) for name in ("resident", "output", "temp")},
        src=src,
        dst=dst,
        edge_bytes=sizes,
        colocate=read.texts("colocate", n, _PIN_HINT),
        device=read.texts("device", n, _PIN_HINT),
    )


def write_cost_graph(graph: CostGraph, *, packed: bool) -> bytes:
    """The JSON of a cost graph, gzipped if `packed`: equal graphs, equal bytes.

    Reading gives the graph back, but for times beyond 2^51 ns (26 days): doubles of microseconds cannot hold them.
    """
    columns: dict[str, Any] = {
        "name": graph.names,
        "op": graph.ops,
        "time": [_exact_us(ns) for ns in graph.time_ns.tolist()],
        "resident": graph.resident_bytes.tolist(),
        "output": graph.output_bytes.tolist(),
        "temp": graph.temp_bytes.tolist(),
        "src": graph.src.tolist(),
        "dst": graph.dst.tolist(),
        "bytes": graph.edge_bytes.tolist(),
    }
    for name in ("colocate", "device"):
        values = getattr(graph, name)
        if any(value is not None for value in values):
            columns[name] = values
    data = (json.dumps(columns, ensure_ascii=False, separators=(",", ":")) + "\n").encode()
    return gzip.compress(data, compresslevel=6, mtime=0) if packed else data


def _exact_us(ns: int) -> int | float:
    """Microseconds that read back as these nanoseconds; a whole number where it is one."""
    return ns // 1000 if ns % 1000 == 0 else ns / 1000


def _parse(data: bytes, path: str | Path) -> dict[str, Any]:
    """The JSON object."""
    try:
        parsed = json.loads(data, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: no valid JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: no valid JSON: {str(error).splitlines()[0]}") from None
    if isinstance(parsed, dict) and "placement" in parsed:
        raise InputError(f"{path}: is a plan, not a graph: `pardnn simulate GRAPH {Path(path).name}` shows it")
    if not isinstance(parsed, dict) or "time" not in parsed:
        raise InputError(
            f"{path}: is JSON but no cost graph: that is an object with the columns time, src, dst, bytes, ..."
        )
    return parsed


def _refuse(name: str) -> float:
    """NaN and infinity are no costs (and no JSON)."""
    raise ValueError(f"{name} is no cost")


class _Columns:
    """The columns of one file, checked as they are asked for."""

    def __init__(self, columns: dict[str, Any], path: str | Path) -> None:
        self.columns = columns
        self.path = path

    def numbers(self, name: str, unit: float) -> NDArray[np.int64]:
        """floor(x * unit + 0.5) of a column of numbers that are not negative."""
        column = self._column(name)
        self._of_types(name, column, {int, float}, "a number")
        try:
            values = np.floor(np.array(column, dtype=np.float64) * unit + 0.5)
        except OverflowError:
            values = np.array([np.inf])
        wrong = np.flatnonzero(~(values >= 0))
        if wrong.size:
            raise self._error(name, f"number {wrong[0]} is {column[wrong[0]]}, a cost is not negative")
        if values.sum() >= _LARGEST:
            raise self._error(
                name, f"its sum is beyond 2^62 {'nanoseconds' if name == 'time' else 'bytes'}: wrong unit?"
            )
        return values.astype(np.int64)

    def per_node(self, name: str, n: int) -> NDArray[np.int64]:
        """A column of sizes, one per node."""
        sizes = self.numbers(name, 1.0)
        self.same_length(name, sizes, "time", range(n))
        return sizes

    def ids(self, name: str, n: int) -> NDArray[np.int32]:
        """A column of node numbers."""
        column = self._column(name)
        self._of_types(name, column, {int}, "a node number")
        if column and not (min(column) >= 0 and max(column) < n):
            index = next(i for i, value in enumerate(column) if not 0 <= value < n)
            raise self._error(name, f"edge {index} names node {column[index]}, nodes are 0 to {n - 1}")
        return np.array(column, dtype=np.int32)

    def texts(self, name: str, n: int, what: str) -> tuple[str | None, ...]:
        """An optional column of texts (or nulls, if `what` says so); () where there is none."""
        if self.columns.get(name) is None:
            return ()
        column = self._column(name)
        self._of_types(name, column, {str, type(None)} if "null" in what else {str}, what)
        try:
            "".join(filter(None, column)).encode()
        except UnicodeEncodeError:
            raise self._error(name, "holds half a character (a lone surrogate)") from None
        self.same_length(name, column, "time", range(n))
        return tuple(column)

    def names(self, n: int) -> tuple[str, ...]:
        """The names, which differ; "0", "1", ... where there are none."""
        names = self.texts("name", n, "a text") or tuple(map(str, range(n)))
        if len(set(names)) < n:
            seen: set[str | None] = set()
            twice = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
            raise self._error("name", f"two nodes are called '{twice}'")
        return names  # type: ignore[return-value]

    def same_length(self, name: str, column: Any, other: str, others: Any) -> None:
        """Raise InputError unless two columns are equally long."""
        if len(column) != len(others):
            raise self._error(name, f"has {len(column)} values, '{other}' has {len(others)}")

    def _column(self, name: str) -> list[Any]:
        """A column as it is."""
        column = self.columns.get(name)
        if not isinstance(column, list):
            raise self._error(name, "is missing" if column is None else "is no list")
        return column

    def _of_types(self, name: str, column: list[Any], types: set[type], what: str) -> None:
        """Raise InputError unless all values are of these very types (true is no number)."""
        if not set(map(type, column)) <= types:
            index = next(i for i, value in enumerate(column) if type(value) not in types)
            raise self._error(name, f"number {index} is {json.dumps(column[index])[:40]}, not {what}")

    def _error(self, name: str, what: str) -> InputError:
        """One line about a column."""
        return InputError(f"{self.path}: column '{name}': {what}")
