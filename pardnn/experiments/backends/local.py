"""Cells on the cores of this machine, by joblib."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from pardnn.errors import InputError
from pardnn.experiments.backend import backends
from pardnn.experiments.cell import Cell
from pardnn.experiments.needs import need
from pardnn.experiments.outcome import Outcome, carry_out


@backends.register("local", summary="joblib on the cores here")
@dataclass(frozen=True)
class Local:
    """A process per core."""

    jobs: int | None = None
    address: str | None = None

    def __call__(self, cells: Sequence[Cell]) -> Iterator[Outcome]:
        """One outcome per cell; one that takes its process down with it (out of memory) is a failed one."""
        if self.address is not None:
            raise InputError("--scheduler is for --backend dask or ray")
        joblib = need("joblib")
        jobs = self.jobs or len(os.sched_getaffinity(0))
        left = {cell.key: cell for cell in cells}
        while left:
            try:
                for outcome in _together(joblib, list(left.values()), jobs):
                    del left[outcome.key]
                    yield outcome
            except BrokenExecutor:
                # Which cell it was nobody knows, but it was begun: the first ones go one by one.
                for key in list(left)[: 2 * jobs]:
                    yield _alone(left.pop(key))


def _together(joblib: Any, cells: Sequence[Cell], jobs: int) -> Iterator[Outcome]:
    run = joblib.Parallel(jobs, batch_size=1, pre_dispatch=2 * jobs, return_as="generator_unordered")
    found: Iterator[Outcome] = run(joblib.delayed(carry_out)(cell) for cell in cells)
    return found


def _alone(cell: Cell) -> Outcome:
    """The outcome of a cell in a process of its own."""
    try:
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            return pool.submit(carry_out, cell).result()
    except BrokenExecutor:
        return Outcome.failed(cell, "its process was killed: is there too little memory?")
