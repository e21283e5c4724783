"""The schedule: where and when every node runs and every tensor is sent, in one simulated step."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Schedule:
    """One step of n nodes on k devices with t transfers, times from the step's start.

    Transfers are numbered by producer, then by the first edge that needs them.
    """

    placement: NDArray[np.int32]
    """[n] device of each node."""
    start_ns: NDArray[np.int64]
    finish_ns: NDArray[np.int64]
    edge_transfer: NDArray[np.int32]
    """[m] the transfer that brings this edge's tensor; -1 = both ends on one device."""
    transfer_src: NDArray[np.int32]
    """[t] producing node."""
    transfer_device: NDArray[np.int32]
    """[t] receiving device."""
    transfer_bytes: NDArray[np.int64]
    transfer_start_ns: NDArray[np.int64]
    transfer_finish_ns: NDArray[np.int64]

    @property
    def makespan_ns(self) -> int:
        """End of the last node."""
        return int(self.finish_ns.max(initial=0))

    @property
    def sent_bytes(self) -> int:
        """Bytes over links, all transfers."""
        return int(self.transfer_bytes.sum())
