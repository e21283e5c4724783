"""A step at several batch sizes: time, memory and samples a second; the largest batch that cards hold; epochs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pardnn.answers.batches import largest_batches, no_batch
from pardnn.answers.footprint import footprint
from pardnn.answers.worker import samples_in
from pardnn.config import Options
from pardnn.errors import InputError
from pardnn.subject import Subject, again

Tell = Callable[[str], None]


def by_batch(subject: Subject, options: Options, sizes: Sequence[int], tell: Tell) -> list[dict[str, Any]]:
    """A row per batch size, each simulated on one card. Raises InputError for a graph whose batch is not open."""
    if why := no_batch(subject):
        raise InputError(f"{subject.name}: {why}")
    rows = []
    for size in sizes:
        tell(f"a batch of {size}")
        asked = replace(options, batch_size=size)
        step = footprint(again(subject, asked), 0)["steps"][0]
        kinds = step["memory"][0]
        rows.append({
            "batch_size": size,
            **{key: step[key] for key in ("step_us", "low_us", "high_us", "fits")},
            "per_second": round(1e6 * size / step["step_us"], 3) if step["step_us"] else None,
            "peak_bytes": kinds["peak_bytes"],
            "allocator_bytes": step["allocator_bytes"],
            "at_peak": kinds["at_peak"],
        })  # fmt: skip
    return rows


def largest(subject: Subject, options: Options, gpus: int, tell: Tell) -> list[dict[str, Any]]:
    """Per number of cards, 1, 2, 4, ... up to `gpus`, the largest batch that a plan was seen to hold, within an eighth.

    Nothing where the memory has no limit.
    """
    asked = replace(options, gpus=gpus)
    posed = again(subject, asked)
    if not posed.problem.limited:
        return []
    tell("the largest batch")
    return list(_plans(posed, asked))


def _plans(subject: Subject, options: Options) -> Iterator[dict[str, Any]]:
    for piece in sorted(largest_batches(subject, options), key=lambda piece: piece.subject.problem.gpus):
        yield {**piece.result(), "typed": piece.change}


def epochs(
    subject: Subject, options: Options, step: dict[str, Any], samples: int | None, number: int
) -> dict[str, Any] | None:
    """What so many samples take, epoch by epoch, by the step's time and band; None if nobody asked.

    Raises InputError where nothing says how many samples are in a step.
    """
    if samples is None:
        return None
    batch = samples_in(subject, options)
    if batch is None:
        raise InputError(f"{subject.name}: --samples: how many are in a step? Give --batch-size N")
    steps = -(-samples // batch)
    epoch = {name: steps * step[f"{name}_us"] / 1e6 for name in ("step", "low", "high")}
    return {
        "samples": samples, "epochs": number, "batch_size": batch, "steps": steps,
        "epoch_s": epoch["step"], "low_s": epoch["low"], "high_s": epoch["high"],
        "total_s": number * epoch["step"], "total_low_s": number * epoch["low"], "total_high_s": number * epoch["high"],
    }  # fmt: skip
