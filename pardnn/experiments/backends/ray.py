"""Cells on a Ray cluster: one that runs already, or one made on this machine."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from pardnn.errors import InputError, one_line
from pardnn.experiments.backend import backends
from pardnn.experiments.cell import Cell
from pardnn.experiments.needs import need
from pardnn.experiments.outcome import Outcome, carry_out

_PATIENCE_S = 30.0
_WINDOW = 10_000
"""Cells that Ray is given at once."""


@backends.register("ray", summary="a Ray cluster, --scheduler ADDRESS, or one made here")
@dataclass(frozen=True)
class Ray:
    """The workers of a cluster, which must see the graphs under the same names and have the same version of pardnn."""

    jobs: int | None = None
    address: str | None = None

    def __call__(self, cells: Sequence[Cell]) -> Iterator[Outcome]:
        """One outcome per cell; one whose worker died again and again is a failed one."""
        ray = need("ray", "ray")
        _listening(self.address)
        cores = None if self.address else self.jobs or len(os.sched_getaffinity(0))
        try:
            ray.init(self.address or "local", num_cpus=cores, logging_level=logging.CRITICAL)
        except (ConnectionError, OSError, ValueError, RuntimeError) as error:
            raise InputError(f"Ray cannot be begun: {one_line(error, 200)}") from None
        try:
            work = ray.remote(carry_out)
            coming = iter(cells)
            waiting = {work.remote(cell): cell for cell in islice(coming, _WINDOW)}
            while waiting:
                (ready, *_), _ = ray.wait(list(waiting))
                cell = waiting.pop(ready)
                try:
                    yield ray.get(ready)
                except ray.exceptions.RayError as error:
                    yield Outcome.failed(cell, f"{type(error).__name__}: {error}")
                waiting |= {work.remote(cell): cell for cell in islice(coming, 1)}
        finally:
            ray.shutdown()


def _listening(address: str | None) -> None:
    """Raise InputError where nobody is at host:port: Ray itself would try for minutes and then end the process."""
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    if not colon:
        return
    try:
        socket.create_connection((host, int(port)), _PATIENCE_S).close()
    except (OSError, ValueError) as error:
        raise InputError(f"--scheduler {address}: no Ray cluster answers there: {error}") from None
