"""What came of a cell: the figures of its plan, or why there is none. Nothing that goes wrong in one ends a sweep."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Self

from pardnn import __version__
from pardnn.config import Options
from pardnn.errors import DoesNotFit, PardnnError, one_line
from pardnn.experiments.cell import Cell
from pardnn.pipeline import decide
from pardnn.subject import Subject, pose
from scheduler._jit import cache_note

DONE, DOES_NOT_FIT, BAD_INPUT, FAILED = "done", "does not fit", "bad input", "failed"
STATUS = (DONE, DOES_NOT_FIT, BAD_INPUT, FAILED)
_NOT_KEPT = ("format", "outputs", "per_device", "graph", "seconds")


@dataclass(frozen=True)
class Outcome:
    """A cell's result, apart from the seconds it took: those differ from run to run."""

    key: str
    status: str
    error: str | None = None
    figures: dict[str, Any] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def lasting(self) -> bool:
        """Whether the same cell would end so again: a crash need not, so it is tried anew."""
        return self.status != FAILED

    @classmethod
    def failed(cls, cell: Cell, why: str) -> Self:
        """A cell that was not carried through for no fault of its own."""
        return cls(cell.key, FAILED, one_line(why, 400))


def answer(subject: Subject, asked: Options) -> dict[str, Any]:
    """The result of a method with "error": None, or the little that is known where nothing fits, with the reason."""
    try:
        return decide(subject, asked).result() | {"error": None}
    except DoesNotFit as error:
        return {"graph": subject.name, "method": asked.method, "fits": False, "error": str(error)}


def carry_out(cell: Cell) -> Outcome:
    """Read the cell's graph, decide, simulate. Raises nothing."""
    try:
        return _carried_out(cell)
    except DoesNotFit as error:
        return Outcome(cell.key, DOES_NOT_FIT, _relative(str(error), cell))
    except PardnnError as error:
        return Outcome(cell.key, BAD_INPUT, _relative(str(error), cell))
    except Exception as error:  # noqa: BLE001 - whatever it is, the other cells go on
        return Outcome.failed(cell, f"{type(error).__name__}: {error}")


def _carried_out(cell: Cell) -> Outcome:
    if cell.version != __version__:
        return Outcome.failed(cell, f"this worker has pardnn {__version__}, the sweep {cell.version}: install the same")
    options = cell.options
    subject = _posed(cell.path, cell.sha256, replace(options, method="auto", effort="balanced", seed=0))
    if subject.sha256 != cell.sha256:
        return Outcome.failed(cell, f"{cell.graph}: has changed since the sweep began, or is another file on this host")
    result = answer(subject, options)
    if result["error"] is not None:
        return Outcome(cell.key, DOES_NOT_FIT, _relative(result["error"], cell))
    figures = {name: value for name, value in result.items() if name not in (*_NOT_KEPT, "error")}
    # Whether compiled loops are kept is a matter of the host, not of the result.
    figures["warnings"] = [_relative(line, cell) for line in result["warnings"] if line != cache_note()]
    return Outcome(cell.key, DONE, None, figures, result["seconds"])


@lru_cache(maxsize=1)
def _posed(path: str, sha256: str, options: Options) -> Subject:
    """The problem; cells that differ in method only follow each other, and have it in common."""
    return pose(path, options)


def _relative(text: str, cell: Cell) -> str:
    """A message with files named as the sweep names them, so that it is the same wherever the folder lies."""
    return text.replace(f"{cell.folder}/", "")
