"""What to change where a step does not fit, or what more would: each piece of it placed and simulated anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pardnn.answers.batches import accumulated, largest_batches, no_batch
from pardnn.answers.cards import fewest_gpus, too_large
from pardnn.answers.lighter import offloading, recomputation
from pardnn.answers.piece import Piece
from pardnn.config import Options
from pardnn.errors import DoesNotFit, from_python
from pardnn.pipeline import prepare
from pardnn.remedy import Remedy, attempt, enough
from pardnn.subject import Subject


@dataclass(frozen=True, eq=False)
class Advice:
    """Whether a step fits as it is asked for, what memory would do, and what else was seen to."""

    subject: Subject
    reason: str
    """Why it does not fit; "" if it does."""
    memory: Remedy | None
    pieces: tuple[Piece, ...]
    without: dict[str, str]
    """The kinds of advice that there are none of, and why."""

    def summary(self) -> str:
        """The page the command line prints, in plain text."""
        from pardnn.report.advice import advice_report
        from pardnn.report.layout import plain

        return plain(advice_report(self.result()))

    def result(self) -> dict[str, Any]:
        """By name, ready for JSON."""
        return {
            "format": "pardnn-advice/1",
            "graph": self.subject.name,
            "fits": not self.reason,
            "reason": self.reason or None,
            "memory_works": self.memory.typed if self.memory else None,
            "memory_bound": self.memory.proven if self.memory else None,
            "advice": [piece.result() for piece in self.pieces],
            "no_advice": self.without,
            "warnings": list(self.subject.notes),
            "outputs": [],
        }


def advise(graph: Any, **options: Any) -> Advice:
    """What would make a step fit: `pieces`, each with a changed step and a placement of it that was simulated and fits.

    Graph and options are those of `partition`; `summary()` is what the command line prints. Of a step that fits: the
    fewest GPUs and the largest batches. Raises InputError.
    """
    with from_python():
        asked = Options.of(**options)
        return advice(prepare(graph, asked), asked)


def advice(subject: Subject, options: Options, tell: Callable[[str], None] = lambda _: None) -> Advice:
    """All there is to say: memory, batch and accumulation, more GPUs, recomputation, host offload.

    Of a step that fits: the fewest GPUs and the largest batches.
    """
    tell("looking whether it fits")
    reason, memory = "", None
    try:
        attempt(subject.problem, options)
    except DoesNotFit as error:
        reason = str(error.named(subject.names))
        tell("looking for a memory that would do")
        memory = enough(subject, options)
    without: dict[str, str] = {}
    pieces: list[Piece] = []
    for kind, found in _sought(subject, options, tell, fits=not reason):
        if isinstance(found, str):
            without[kind] = found
        else:
            pieces.append(found)
    return Advice(subject, reason, memory, tuple(pieces), without)


def _sought(
    subject: Subject, options: Options, tell: Callable[[str], None], *, fits: bool
) -> Iterator[tuple[str, Piece | str]]:
    """(kind, a piece or why there is none), each as it is found."""
    yield from _batches(subject, options, tell, fits=fits)
    if why := too_large(subject):
        yield from ((kind, why) for kind in ("gpus", "recomputation", "offload"))
        return
    tell("how many GPUs hold it")
    yield "gpus", fewest_gpus(subject, options)
    if fits:
        return
    tell("what can be computed again")
    yield "recomputation", recomputation(subject, options)
    tell("what can be kept on the host")
    yield "offload", offloading(subject, options)


def _batches(
    subject: Subject, options: Options, tell: Callable[[str], None], *, fits: bool
) -> Iterator[tuple[str, Piece | str]]:
    if why := no_batch(subject):
        yield "batch", why
        return
    tell("how large a batch they hold")
    found = list(largest_batches(subject, options))
    yield from (("batch", piece) for piece in found)
    if not found:
        yield "batch", "not even a batch of 1 was seen to fit"
    elif not fits and (size := found[0].options.batch_size) is not None:
        tell("several smaller batches for one")
        yield "accumulation", accumulated(subject, options, size)
