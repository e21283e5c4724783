"""More cards: the fewest GPUs that were seen to hold a step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pardnn.answers.piece import Piece, fitting
from pardnn.config import Options
from pardnn.errors import InputError
from pardnn.remedy import first_fit, neediest
from pardnn.subject import Subject, hardware_of
from pardnn.units import format_size
from pardnn.variants import with_gpus

MOST = 64


def fewest_gpus(subject: Subject, options: Options) -> Piece | str:
    """The fewest GPUs seen to hold the step, all like the first; or why there is none."""
    problem = subject.problem
    if len({*subject.hardware.memory_bytes}) > 1 or len({*subject.hardware.speed[: problem.gpus]}) > 1:
        return "the GPUs are unlike: which kind there could be more of is not known"
    limit = int(problem.machine.memory_bytes[0])
    seen: dict[int, Piece] = {}

    def works(gpus: int) -> bool:
        asked = like_the_first(options, gpus)
        try:
            changed = with_gpus(subject, asked)
        except InputError:  # an op is pinned to another
            return False
        found = fitting(changed.problem, asked, first_fit(changed.problem, asked))
        if found is not None:
            seen[gpus] = Piece("gpus", f"--gpus {gpus}", changed, asked, *found)
        return found is not None

    held = int(problem.workload.resident_bytes[problem.pin < problem.gpus].sum())
    least = max(1, -(-held // (limit * options.hosts)))
    most = next((gpus for gpus in range(MOST, 0, -1) if exist(options, gpus)), 0)
    gpus = fewest(works, least, most) if least <= most else None
    return f"none of up to {most} GPUs like these was seen to hold it" if gpus is None else seen[gpus]


def too_large(subject: Subject) -> str | None:
    """Why neither more GPUs nor a lighter graph help: an op that no GPU can hold; None where there is none."""
    problem = subject.problem
    limit, needs = int(problem.machine.memory_bytes[: problem.gpus].max()), neediest(problem)
    if needs <= limit:
        return None
    return f"an op, with what must sit with it, takes {format_size(needs)} alone, a GPU has {format_size(limit)}"


def exist(options: Options, gpus: int) -> bool:
    """Whether the machine has so many GPUs, by these options."""
    try:
        hardware_of(like_the_first(options, gpus))
    except InputError:
        return False
    return True


def like_the_first(options: Options, gpus: int) -> Options:
    """The options for so many GPUs, each as what is said of the first."""
    mem, speed = options.mem, options.speed
    return replace(
        options,
        gpus=gpus,
        mem=mem.partition(",")[0] if isinstance(mem, str) else mem,
        speed=speed.partition(",")[0] if isinstance(speed, str) else speed,
    )


def fewest(works: Callable[[int], bool], least: int, most: int) -> int | None:
    """The smallest number seen to work, from `least` on: by growing steps, then by halves.

    >>> fewest(lambda n: n >= 11, 2, 64), fewest(lambda n: False, 2, 64)
    (11, None)
    """
    failed, number, step = least - 1, least, 1
    while not works(number):
        if number >= most:
            return None
        failed, number, step = number, min(most, number + step), 2 * step
    while number - failed > 1:
        middle = (number + failed) // 2
        failed, number = (failed, middle) if works(middle) else (middle, number)
    return number
