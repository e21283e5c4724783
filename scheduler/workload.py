"""The workload: what one training step costs on a machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scheduler.dag import Dag, frozen


@dataclass(frozen=True, eq=False)
class Workload:
    """A dag with costs: n nodes, m edges, k devices.

    The tensors a node sends are told apart by their size: all readers on one device of one (producer, bytes) share one
    transfer. So two output ports of one producer must be given different sizes; an edge of 0 bytes carries no data.
    """

    dag: Dag
    time_ns: NDArray[np.int64]
    """[n, k] compute time of each node on each device."""
    edge_bytes: NDArray[np.int64]
    """[m]"""
    resident_bytes: NDArray[np.int64]
    """[n] held for the whole step: variables, optimizer slots."""
    output_bytes: NDArray[np.int64]
    """[n] held from the node's start until its last reader is done."""
    temp_bytes: NDArray[np.int64]
    """[n] held while the node runs."""

    @classmethod
    def build(
        cls,
        dag: Dag,
        time_ns: ArrayLike,
        edge_bytes: ArrayLike,
        resident: ArrayLike,
        output: ArrayLike,
        temp: ArrayLike,
    ) -> Workload:
        """Columns of whole numbers, made read-only; ValueError where a length does not match or one is negative."""
        columns = [frozen(c, np.int64) for c in (time_ns, edge_bytes, resident, output, temp)]
        expected = [dag.n, dag.m, dag.n, dag.n, dag.n]
        for name, column, length in zip(
            ("time", "bytes", "resident", "output", "temp"), columns, expected, strict=True
        ):
            if len(column) != length:
                raise ValueError(f"{name}: {len(column)} values for {length} entries")
            if column.size and column.min() < 0:
                raise ValueError(f"{name}: negative value")
        if columns[0].ndim != 2:
            raise ValueError("time must be [n, k]")
        return cls(dag, *columns)

    @property
    def k(self) -> int:
        """Number of devices the times are given for."""
        return int(self.time_ns.shape[1])

    @cached_property
    def edge_slot(self) -> NDArray[np.int32]:
        """[m] number of the edge's size among the distinct sizes its producer sends. O(m log m)."""
        src, size = self.dag.src, self.edge_bytes
        slot = np.zeros(self.dag.m, np.int32)
        if self.dag.m:
            by_size = np.lexsort((size, src))
            s, b = src[by_size], size[by_size]
            new_src = np.r_[True, s[1:] != s[:-1]]
            tensor = np.cumsum(new_src | np.r_[True, b[1:] != b[:-1]])
            slot[by_size] = tensor - np.maximum.accumulate(np.where(new_src, tensor, 0))
        slot.flags.writeable = False
        return slot
