"""What a step shorter than so much would force together or apart, and why that may be impossible."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from scheduler.bounds import _pack_kernel
from scheduler.bounds.case import Case
from scheduler.bounds.reach import APART, TOGETHER, heads, tails
from scheduler.bounds.share import busiest
from scheduler.dag import rows

Times = NDArray[np.int64]


class Forced(NamedTuple):
    """What holds in every step of `most_ns` or less."""

    label: NDArray[np.int32]
    """[n] clusters that share a device, dense from 0."""
    tie: NDArray[np.int32]
    """[m] TOGETHER, APART or 0."""
    head: Times
    tail: Times


def force(case: Case, most_ns: int, head: Times, tail: Times, rounds: int, steps: int) -> Forced | None:
    """What a step of `most_ns` or less implies, None = there is none; `head` and `tail` [n] as known without that.

    Proof by contradiction: suppose there is one. An edge whose transfer lies on a path of more than `most_ns` is not
    sent: its ends share a device, and so do all ends of a chain of such edges (a cluster). It is impossible if
      - a path or the work in a window is longer than `most_ns` (`reach`, `share`);
      - a cluster's nodes, between their heads and tails, take one device longer, even if it could interrupt them;
      - a cluster holds more than any device's memory, or has no device that all its nodes may run on;
      - of the j k + 1 largest clusters j + 1 must share one of the k devices, and the smallest of them take longer.
    Two clusters that would take longer, or hold more, or have no device in common if they shared one are apart: what
    passes between them is sent. With these ties the heads and tails grow, which forces more, `rounds` times.
    """
    dag, node, tie = case.dag, case.node_ns, case.tie
    for turn in range(rounds):
        if int((head + node + tail).max()) > most_ns or any(busiest(s, head, tail) > most_ns for s in case.shares):
            return None
        through = head[dag.src] + node[dag.src] + case.edge_ns + node[dag.dst] + tail[dag.dst]
        label = clusters(case, (through > most_ns) | (tie == TOGETHER))
        found = _Clusters(case, label, head, tail)
        if found.too_much(most_ns):
            return None
        new = found.ties(tie, most_ns)
        settled = (new == tie).all()
        tie = new
        if settled or turn + 1 == rounds:
            break
        head = np.maximum(head, heads(dag, node, case.edge_ns, tie, steps))
        tail = np.maximum(tail, tails(dag, node, case.edge_ns, tie, steps))
    return Forced(label, tie, head, tail)


def clusters(case: Case, joined: NDArray[np.bool_]) -> NDArray[np.int32]:
    """[n] the cluster of each node, dense from 0: groups joined over the edges `joined` [m]. O(n + m) nearly."""
    a, b = case.group[case.dag.src[joined]], case.group[case.dag.dst[joined]]
    root = np.arange(int(case.group.max(initial=-1)) + 1, dtype=np.int32)
    _pack_kernel.join(np.ascontiguousarray(a), np.ascontiguousarray(b), root)
    _, label = np.unique(root[case.group], return_inverse=True)
    return label.astype(np.int32)


class _Clusters:
    """Sums over the clusters [c]."""

    def __init__(self, case: Case, label: NDArray[np.int32], head: Times, tail: Times) -> None:
        self.case, self.label, self.head, self.tail = case, label, head, tail
        count = int(label.max(initial=-1)) + 1
        self.work, self.held = np.zeros((2, count), np.int64)
        np.add.at(self.work, label, case.node_ns)
        np.add.at(self.held, label, case.resident)
        self.begin, self.rest = np.full((2, count), np.iinfo(np.int64).max)
        np.minimum.at(self.begin, label, head)
        np.minimum.at(self.rest, label, tail)
        has = np.zeros((count, len(case.sets)), np.bool_)
        has[label, case.which] = True
        self.barred = has @ ~case.sets
        """[c, k] the devices that a node of the cluster may not use."""

    def too_much(self, most_ns: int) -> bool:
        """Whether one device cannot do a cluster in time, or the devices cannot hold or share the clusters."""
        case = self.case
        if (self.held > case.room).any() or self.barred.all(axis=1).any():
            return True
        largest = np.sort(self.work)[::-1]
        every = np.arange(case.k, len(largest), case.k)
        if len(every) and int(((np.arange(len(every)) + 2) * largest[every]).max()) > most_ns:
            return True
        ptr, member = rows(len(self.work), self.label)
        member = np.lexsort((self.head, self.label)).astype(np.int32)
        key, who = np.empty((2, len(self.label)), np.int64)
        left = case.node_ns.copy()
        return bool(_pack_kernel.preemptive(ptr, member, self.head, self.tail, left, most_ns, key, who) > most_ns)

    def ties(self, tie: NDArray[np.int32], most_ns: int) -> NDArray[np.int32]:
        """[m] the ties that follow, beside those there are."""
        a, b = self.label[self.case.dag.src], self.label[self.case.dag.dst]
        longest = np.minimum(self.begin[a], self.begin[b]) + self.work[a] + self.work[b]
        longest += np.minimum(self.rest[a], self.rest[b])
        apart = (longest > most_ns) | (self.held[a] + self.held[b] > self.case.room)
        if len(self.case.sets) > 1:
            apart |= (self.barred[a] | self.barred[b]).all(axis=1)
        return np.where(a == b, TOGETHER, np.where(apart, APART, tie)).astype(np.int32)
