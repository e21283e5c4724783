"""What a sweep is asked for: a TOML file of graphs, methods, machines and whatever else is to vary."""

from __future__ import annotations

import glob
from collections.abc import Mapping
from dataclasses import dataclass, fields
from itertools import product
from os.path import exists
from pathlib import Path
from typing import Any

from pardnn.config import Options
from pardnn.errors import InputError
from pardnn.experiments.cell import Cell
from pardnn.experiments.files import Digests
from pardnn.machines.tables import Table, read_table
from pardnn.methods import method, summaries

_PLURALS = {"machines": "machine", "gpus": "gpus", "methods": "method"}
_VARY = (
    "machine", "hosts", "gpus", "mem", "speed", "latency", "bandwidth", "mem_fraction", "order", "contention",
    "batch_size", "costs", "effort", "seed", "method",
)  # fmt: skip
"""Options that may have several values. The last vary fastest, so that neighbours have the problem in common."""
_FIXED = ("time_limit", "targets", "pin", "keep_devices", "tf_shapes", "control_edges")
_GLOB = "*?["
_MOST = 1_000_000
ALL = "all"


@dataclass(frozen=True)
class Config:
    """A sweep: every graph under every combination of the options."""

    file: Path
    graphs: tuple[str, ...]
    """As the file names them, relative to its folder."""
    vary: Mapping[str, tuple[Any, ...]]
    fixed: Mapping[str, Any]

    def cells(self) -> list[Cell]:
        """One per graph and combination, in the order of the file. Raises InputError for an option out of range."""
        folder, digests = self.file.resolve().parent, Digests()
        found = []
        for graph in self.graphs:
            for values in product(*self.vary.values()):
                given = {**self.fixed, **dict(zip(self.vary, values, strict=True))}
                try:
                    asked = Options.of(**given)
                except InputError as error:
                    raise InputError(f"{self.file}: {error}") from None
                found.append(Cell.of(graph, folder, asked, digests))
        return found


def read_config(path: str | Path) -> Config:
    """The sweep in a file. Raises InputError naming the key that is wrong."""
    table = read_table(Path(path))
    keys = {_key(option): option for option in _VARY}
    table.only("graphs", *keys, *_FIXED)
    graphs = _graphs(table)
    vary = {option: _several(table, key) for key, option in keys.items() if key in table.values}
    if "method" in vary:
        vary["method"] = _methods(table, vary["method"])
    if (cells := len(graphs) * _product(vary)) > _MOST:
        raise InputError(f"{path}: makes {cells:,} cells; at most {_MOST:,} go into one sweep")
    fixed = {option: table.values[option] for option in _FIXED if option in table.values}
    if isinstance(fixed.get("targets"), list):
        fixed["targets"] = tuple(fixed["targets"])
    return Config(Path(path), graphs, vary, fixed)


def _key(option: str) -> str:
    """What the option is called in the file."""
    return next((plural for plural, single in _PLURALS.items() if single == option), option)


def _graphs(table: Table) -> tuple[str, ...]:
    """The graphs' names, patterns replaced by what matches; a name may be one of no file, which is then a row."""
    folder, found = Path(table.file).resolve().parent, []
    for name in _several(table, "graphs"):
        if not isinstance(name, str) or not name:
            raise table.fault("graphs", f"names of files are needed, not {name!r}")
        if any(sign in name for sign in _GLOB) and not exists(folder / name):
            matching = sorted(glob.glob(name, root_dir=folder, recursive=True))
            if not matching:
                raise table.fault("graphs", f"no file in {folder} matches {name!r}")
            found += matching
        else:
            found.append(name)
    return tuple(dict.fromkeys(found))


def _several(table: Table, key: str) -> tuple[Any, ...]:
    """A value or a list of them, each once."""
    value = table.values.get(key)
    values = value if isinstance(value, list) else [] if value is None else [value]
    if not values:
        raise table.fault(key, "missing" if value is None else "an empty list makes an empty sweep")
    if any(isinstance(each, list | dict) for each in values):
        raise table.fault(key, "a value or a list of values is needed")
    return tuple(dict.fromkeys(values))


def _methods(table: Table, names: tuple[Any, ...]) -> tuple[str, ...]:
    """The methods, all of them for "all"; an unknown one is told before the work."""
    for name in names:
        if name != ALL:
            try:
                method(str(name))
            except InputError as error:
                raise table.fault("methods", str(error)) from None
    return tuple(dict.fromkeys(each for name in names for each in (summaries() if name == ALL else [name])))


def _product(vary: Mapping[str, tuple[Any, ...]]) -> int:
    cells = 1
    for values in vary.values():
        cells *= len(values)
    return cells


assert {*_VARY, *_FIXED} == {field.name for field in fields(Options)}
