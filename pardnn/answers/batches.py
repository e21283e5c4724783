"""Smaller batches: the largest that so many GPUs were seen to hold, and several of them with their gradients summed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pardnn.answers.cards import exist
from pardnn.answers.piece import Piece, fitting
from pardnn.config import Options
from pardnn.errors import PardnnError
from pardnn.graph.roles import find_roles
from pardnn.optimize.accumulate import Gradient, accumulate
from pardnn.remedy import first_fit, quick_fit
from pardnn.subject import Subject, again
from pardnn.variants import with_changes

MOST = 2**20
_OPS = 60_000
"""A graph of gradients accumulated is made with so many ops at most."""


def no_batch(subject: Subject) -> str | None:
    """Why nothing can be said of batches; None if something can."""
    if subject.graph is None or subject.file is None:
        return "a cost graph has no shapes, so no batch: give the TensorFlow graph it was made from"
    if subject.graph.batched:
        return None
    if subject.graph.unknown_shape:
        return "the graph leaves its batch open: say with --batch-size N what it should be"
    return "the graph's batch is fixed in it: make it anew with an open or a smaller one"


def largest_batches(subject: Subject, options: Options) -> Iterator[Piece]:
    """For all the GPUs there are, and 1, 2, 4, ..., the largest batch seen to fit, within an eighth, if any does."""
    start = options.batch_size
    assert start is not None
    each = subject.problem.gpus // options.hosts
    for gpus in sorted({each, *(2**i for i in range(each.bit_length()) if 2**i < each)}, reverse=True):
        alike = "," not in str(options.mem) and "," not in str(options.speed)
        if gpus != each and not (alike and exist(options, gpus)):
            continue
        found = _largest(subject, options if gpus == each else replace(options, gpus=gpus), start, gpus)
        if found is None:
            return
        assert found.options.batch_size is not None
        start = found.options.batch_size
        yield found


def _largest(subject: Subject, options: Options, start: int, gpus: int) -> Piece | None:
    """The largest batch on these GPUs; sought with little effort, seen to work with all of it."""

    def of(size: int) -> tuple[Subject, Options] | None:
        asked = replace(options, batch_size=size)
        try:
            return again(subject, asked), asked
        except PardnnError:  # the graph allows no such batch
            return None

    def works(size: int) -> bool:
        made = of(size)
        return made is not None and quick_fit(made[0].problem, made[1]) is not None

    size = largest(works, start, MOST)
    made = None if size is None else of(size)
    if made is None:
        return None
    changed, asked = made
    found = fitting(changed.problem, asked, first_fit(changed.problem, asked))
    if found is None:
        return None
    per_second = round(1e9 * (size or 0) / found[1].makespan_ns, 3) if found[1].makespan_ns else None
    details = {"batch_size": size, "samples_per_second": per_second}
    return Piece("batch", f"--gpus {gpus} --batch-size {size}", changed, asked, *found, details=details)


def accumulated(subject: Subject, options: Options, largest_size: int) -> Piece | str:
    """The batch asked for in as few runs as were seen to fit, their gradients summed; or why there is none.

    The graph of all runs is made and simulated: each run's ops, an addition per gradient, one update.
    """
    asked = options.batch_size
    assert asked is not None
    runs = -(-asked // largest_size)
    while runs <= asked:
        size = -(-asked // runs)
        try:
            small = again(subject, replace(options, batch_size=size))
        except PardnnError:
            return f"the graph allows no batch of {size}"
        gradients = _gradients(small)
        if not gradients:
            return "the graph does not show which tensors are gradients"
        if runs * small.problem.workload.dag.n > _OPS:
            return f"{runs} runs of {small.problem.workload.dag.n:,} ops are more than are simulated"
        changed = with_changes(small, accumulate(small.problem, gradients, _adding(small), runs))
        found = fitting(changed.problem, options, quick_fit(changed.problem, options))
        if found is not None:
            details = {"batch_size": size, "runs": runs, "gradient_bytes": sum(size for _, size in gradients)}
            change = f"a batch of {size}, {runs} times, the gradients summed before one update"
            return Piece("accumulation", change, changed, options, *found, details=details)
        runs *= 2
    return "with the sums of the gradients beside it not even a batch of 1 was seen to fit"


def _gradients(subject: Subject) -> list[Gradient]:
    """Each gradient with the bytes of the edges that carry it; those that nothing reads are none."""
    graph, work = subject.graph, subject.problem.workload
    assert graph is not None
    ends = find_roles(graph).gradients
    sources, ports, sizes = graph.dag.src.tolist(), graph.edge_port.tolist(), work.edge_bytes.tolist()
    return sorted({(u, size) for u, port, size in zip(sources, ports, sizes, strict=True) if (u, port) in ends})


def _adding(subject: Subject) -> Callable[[int], NDArray[np.int64]]:
    """What adding so many bytes to a sum takes on each device: two tensors read, one written."""
    hardware = subject.hardware
    pairs = list(zip(hardware.cards, map(float, hardware.speed), strict=True))

    def add_ns(size: int) -> NDArray[np.int64]:
        times = [(card.launch_ns + 3e9 * size / card.memory_bytes_per_s) / speed for card, speed in pairs]
        return np.array(times, np.int64)

    return add_ns


def largest(works: Callable[[int], bool], start: int, most: int) -> int | None:
    """The largest number seen to work, within an eighth: by doubling or halving from `start`, then by halves.

    >>> largest(lambda n: n <= 100, 32, 1024), largest(lambda n: n <= 3, 32, 1024), largest(lambda n: False, 32, 1024)
    (96, 3, None)
    """
    number, failed = 0, most + 1
    if works(start):
        number = start
        while 2 * number <= most:
            if not works(2 * number):
                failed = 2 * number
                break
            number *= 2
    else:
        failed = start
        while not number and failed > 1:
            half = failed // 2
            number, failed = (half, failed) if works(half) else (0, half)
    while number and failed <= most and failed - number > max(1, number // 8):
        middle = (number + failed) // 2
        number, failed = (middle, failed) if works(middle) else (number, middle)
    return number or None
