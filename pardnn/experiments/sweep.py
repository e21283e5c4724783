"""A whole sweep: what is there already is kept, the rest carried out, and the table written."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pardnn.experiments.backend import Backend
from pardnn.experiments.cell import Cell
from pardnn.experiments.needs import need
from pardnn.experiments.outcome import Outcome
from pardnn.experiments.pace import Pace
from pardnn.experiments.plots import plots
from pardnn.experiments.ratios import ratios
from pardnn.experiments.store import Store
from pardnn.experiments.table import Pairs, tables
from pardnn.placers.atomic import write_files


@dataclass(frozen=True)
class Swept:
    """What came of it."""

    pairs: Pairs
    kept: int
    """Cells that an earlier run had finished."""
    outputs: tuple[str, ...]

    @property
    def status(self) -> Mapping[str, int]:
        """Cells by status."""
        return Counter(outcome.status for _, outcome in self.pairs)


def sweep(cells: Sequence[Cell], store: Store, backend: Backend, tell: Callable[[str], None]) -> Swept:
    """Carry out the cells that the store lacks, then write table and plots into its folder; `tell` hears how it goes.

    Each outcome is on the disk before the next is taken, so a run that is killed loses what it was at, no more.
    Raises InputError where the folder cannot be used, or the backend not begun.
    """
    for module in ("pandas", "pyarrow", "matplotlib"):
        need(module)  # told now, not after hours
    with store.alone():
        found = {cell.key: outcome for cell in cells if (outcome := store.get(cell.key)) is not None}
        kept = sum(cell.key in found for cell in cells)
        todo = list({cell.key: cell for cell in cells if cell.key not in found}.values())
        pace = Pace(todo, kept, time.monotonic)
        if todo:
            tell(pace.line)
            for outcome in backend(todo):
                if outcome.lasting:
                    store.put(outcome)
                found[outcome.key] = outcome
                pace.came(outcome)
                tell(pace.line)
        pairs = [(cell, found[cell.key]) for cell in cells]
        tell("writing")
        return Swept(pairs, kept, _written(store.folder, pairs))


def _written(folder: Path, pairs: Sequence[tuple[Cell, Outcome]]) -> tuple[str, ...]:
    """The names of the files, put in place of those of an earlier run all at once."""
    files = {**tables(pairs), **plots(ratios(pairs))}
    write_files([(folder / name, content) for name, content in files.items()], force=True)
    return tuple(str(folder / name) for name in files)
