"""Cells on a Dask cluster: one that runs already, or one made on this machine."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from pardnn.errors import InputError
from pardnn.experiments.backend import backends
from pardnn.experiments.cell import Cell
from pardnn.experiments.needs import need
from pardnn.experiments.outcome import Outcome, carry_out

_PATIENCE = "30s"


@backends.register("dask", summary="a Dask cluster, --scheduler ADDRESS, or one made here")
@dataclass(frozen=True)
class Dask:
    """The workers of a cluster, which must see the graphs under the same names and have the same version of pardnn."""

    jobs: int | None = None
    address: str | None = None

    def __call__(self, cells: Sequence[Cell]) -> Iterator[Outcome]:
        """One outcome per cell; one that took several workers down with it is a failed one."""
        distributed = need("distributed", "dask")
        with ExitStack() as stack:
            client = stack.enter_context(self._client(distributed, stack))
            waiting = {future: cell for cell, future in zip(cells, _submitted(client, cells), strict=True)}
            for future in distributed.as_completed(waiting):
                yield _outcome(future, waiting.pop(future))

    def _client(self, distributed: Any, stack: ExitStack) -> Any:
        """The client of the cluster at the address, else of one here that ends with the stack."""
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what goes wrong is told by the rows
        if self.address is None:
            jobs = self.jobs or len(os.sched_getaffinity(0))
            cluster = distributed.LocalCluster(
                jobs, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
            )
            return distributed.Client(stack.enter_context(cluster))
        try:
            return distributed.Client(self.address, timeout=_PATIENCE)
        except (OSError, ValueError, TypeError) as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise InputError(f"--scheduler {self.address}: no Dask scheduler answers there: {reason}") from None


def _submitted(client: Any, cells: Sequence[Cell]) -> list[Any]:
    # Not pure: a cell that was carried out is asked for again only if its result is lost.
    futures: list[Any] = client.map(carry_out, cells, key=[f"pardnn-{cell.key}" for cell in cells], pure=False)
    return futures


def _outcome(future: Any, cell: Cell) -> Outcome:
    if future.status in ("lost", "cancelled"):
        raise InputError("the Dask scheduler is gone: the same command goes on where this one was")
    if future.status == "error":
        error = future.exception()
        return Outcome.failed(cell, f"{type(error).__name__}: {error}")
    found: Outcome = future.result()
    return found
