"""Ring all-reduce: every replica ends up with the sum of all gradients."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scheduler.machine import Machine, link_ns


def ring_ns(
    machine: Machine, where: Sequence[NDArray[np.int32]], gradient_bytes: NDArray[np.int64], contention: str = "link"
) -> int:
    """Time of an all-reduce over r replicas, `where[i]` being the [w] devices of the weights in the i-th of them.

    2 (r - 1) rounds [1]. In each, every device of a replica sends one r-th of its gradients, in one piece, to whoever
    has those weights in the next replica of the ring. With `contention` "link" a round is as long as its busiest link
    is held; with "none", as its longest transfer. Weights that all replicas have on one device need no sending.
    [1] Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for clusters of workstations. JPDC 69 (2009),
    doi 10.1016/j.jpdc.2008.09.002.
    """
    replicas = len(where)
    if replicas < 2:
        return 0
    sent = np.zeros((machine.k, machine.k), np.int64)
    for own, following in zip(where, [*where[1:], where[0]], strict=True):
        np.add.at(sent, (own, following), gradient_bytes)
    np.fill_diagonal(sent, 0)
    longest, held = 0, np.zeros(len(machine.links), np.int64)
    for i, j in np.argwhere(sent > 0).tolist():
        piece = -(-sent[i, j] // replicas)
        took = int(link_ns(piece, int(machine.latency_ns[i, j]), int(machine.bytes_per_s[i, j])))
        longest = max(longest, took)
        pair = i * machine.k + j
        held[machine.path_link[machine.path_ptr[pair] : machine.path_ptr[pair + 1]]] += took
    return 2 * (replicas - 1) * int(max(longest, held.max(initial=0)) if contention == "link" else longest)
