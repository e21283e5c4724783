"""How far a sweep is, and for how long it will go on."""

from __future__ import annotations

from collections.abc import Callable

from pardnn.experiments.cell import Cell
from pardnn.experiments.outcome import Outcome
from pardnn.report.words import spoken


class Pace:
    """Counts cells as they come in; a larger graph counts as more work."""

    def __init__(self, todo: list[Cell], kept: int, clock: Callable[[], float]) -> None:
        self._size = {cell.key: _work(cell) for cell in todo}
        self._cells, self._kept, self._clock = len(todo), kept, clock
        self._left, self._whole = sum(self._size.values()), sum(self._size.values())
        self._done = self._poor = 0
        self._since = clock()

    def came(self, outcome: Outcome) -> None:
        """One more."""
        self._done += 1
        self._poor += outcome.error is not None
        self._left -= self._size[outcome.key]

    @property
    def line(self) -> str:
        """How it stands."""
        kept = f" ({self._kept} were there)" if self._kept else ""
        poor = f", {self._poor} without a placement" if self._poor else ""
        return f"{self._kept + self._done} of {self._kept + self._cells} cells{kept}{poor}{self._remaining}"

    @property
    def _remaining(self) -> str:
        done = self._whole - self._left
        if not done or not self._left:
            return ""
        seconds = (self._clock() - self._since) * self._left / done
        return f", about {spoken(seconds)} left"


def _work(cell: Cell) -> int:
    return max(1, cell.size)
