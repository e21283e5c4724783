"""Work shared out: what must happen between two moments takes the devices so long, however it is spread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Times = NDArray[np.int64]

BARRED = np.iinfo(np.int64).max
SCALE = 1000
MOMENTS = 32
"""Earliest starts tried as a window's begin."""
ROUNDS = 16


class Share(NamedTuple):
    """A set of devices as one: node v takes work[v] / capacity of its time, if v must run there."""

    work: Times
    """[n]"""
    capacity: int


def shares(time_ns: Times, sets: NDArray[np.bool_], which: NDArray[np.int64]) -> Iterator[Share]:
    """A way to add up the work [n, k] of the nodes confined to each set of devices; sets [s, k], which [n].

    Proof: let each device d have a factor f_d >= 0. A node on d takes f_d time[v, d] of d's scaled time, so at least
    the minimum of that over its devices, work[v]. In a window of length t the devices have t sum(f) of scaled time. So
    nodes that all run within the window need t >= sum(work) / sum(f). Equal devices have equal factors; else they are
    the devices' speeds, then shifted a few times towards devices that would get more than their share: any will do.
    """
    for chosen in sets:
        # A set's devices also do the work of every set within it.
        inside = np.flatnonzero((sets <= chosen).all(axis=1)[which])
        devices = np.flatnonzero(chosen)
        times = np.where(sets[which[inside]], time_ns[inside], BARRED)[:, devices]
        yield _best(times, inside, len(which))


def _best(times: Times, inside: NDArray[np.int64], n: int) -> Share:
    """The share of devices [i, d] with the largest bound for all the work."""
    fastest = times.min(axis=1)
    best = _share(fastest, times.shape[1], inside, n)
    if (times == times[:, :1]).all() or float(fastest.sum(dtype=np.float64)) * SCALE > 2**60:
        return best
    # Devices a node may not use never attract it, whatever their factor.
    barred = times == BARRED
    clear = np.where(barred, 0, times)
    factor = (1 + np.where(barred, 0, fastest[:, None]).sum(axis=0)) / (1 + clear.sum(axis=0))
    for _ in range(ROUNDS):
        whole = np.maximum(1, np.rint(factor / factor.max() * SCALE)).astype(np.int64)
        scaled = np.where(barred, BARRED, clear * whole)
        chosen = scaled.argmin(axis=1)
        found = _share(scaled.min(axis=1), int(whole.sum()), inside, n)
        if int(found.work.sum()) * best.capacity > int(best.work.sum()) * found.capacity:
            best = found
        load = np.bincount(chosen, clear[np.arange(len(clear)), chosen], minlength=len(factor))
        factor = factor * np.sqrt((load + 1) / (load.mean() + 1))
    return best


def _share(work: Times, capacity: int, inside: NDArray[np.int64], n: int) -> Share:
    column = np.zeros(n, np.int64)
    column[inside] = work
    return Share(column, capacity)


def busiest(share: Share, head: Times, tail: Times) -> int:
    """The largest begin + work / capacity + rest over windows, each with all nodes that must run in it.

    Nodes with heads from `begin` on and tails from `rest` on run between `begin` and `rest` before the end. Any begin
    will do: a few are tried, at equal steps of work; of rests all. O(MOMENTS n + n log n).

    Source: [1] Fernandez, Bussell, "Bounds on the number of processors and time for multiprocessor optimal schedules",
    IEEE Trans. Comput. 1973, doi 10.1109/TC.1973.5009153. Differs from [1]: windows begin at a few moments only.
    """
    some = np.flatnonzero(share.work)
    if not len(some):
        return 0
    by_tail = some[np.argsort(-tail[some], kind="stable")]
    work, head, tail = share.work[by_tail], head[by_tail], tail[by_tail]
    by_head = np.argsort(head, kind="stable")
    done = np.cumsum(work[by_head])
    at = np.searchsorted(done, np.linspace(0, float(done[-1]), MOMENTS, endpoint=False), side="right")
    longest = 0
    for begin in np.unique(head[by_head[np.minimum(at, len(done) - 1)]]).tolist():
        late = head >= begin
        inside = -(-np.cumsum(work[late]) // share.capacity)
        longest = max(longest, begin + int((inside + tail[late]).max()))
    return longest
