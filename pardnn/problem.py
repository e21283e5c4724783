"""The problem every partitioner solves and every refiner improves on, and the protocols of both."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from scheduler import memory
from scheduler.bounds import lower_bound_ns
from scheduler.dag import rows
from scheduler.machine import Machine
from scheduler.priority import ORDERS, Priority
from scheduler.schedule import Schedule
from scheduler.sharing import Sharing, simulate_sharing
from scheduler.simulate import simulate
from scheduler.workload import Workload

Placement = NDArray[np.int32]


class Partitioner(Protocol):
    """Decides from nothing: problem -> placement [n]."""

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """The decision."""
        ...


class Answer(NamedTuple):
    """A placement [n], and the least makespan that whoever chose it proved along the way; 0 = none."""

    placement: Placement
    bound_ns: int


@runtime_checkable
class Prover(Protocol):
    """A partitioner that can also say how good a placement can be at best."""

    def prove(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """The decision and the bound."""
        ...


class Refiner(Protocol):
    """Decides from a placement: the same or a better one."""

    def __call__(self, problem: Problem, placement: Placement, rng: np.random.Generator) -> Placement:
        """The refined placement."""
        ...


@dataclass(frozen=True, eq=False)
class Problem:
    """A workload on a machine, what must stay together or in place, and the mode in which a step runs.

    Devices 0 .. gpus - 1 are free to choose; those from `gpus` on (the host's CPU) hold only what is pinned to them.
    """

    workload: Workload
    machine: Machine
    group: NDArray[np.int32]
    """[n] colocation group, dense from 0; a node on its own is its own group."""
    pin: NDArray[np.int32]
    """[n] device number, or -1 = free; one value per group."""
    gpus: int
    order: str = "fifo"
    contention: str = "link"
    sharing: Sharing | None = None
    """The devices are cores, which share themselves so, in an order of their own; None = the mode above."""

    def __post_init__(self) -> None:
        n = self.workload.dag.n
        assert len(self.group) == len(self.pin) == n
        assert self.workload.k == self.machine.k >= self.gpus >= 1
        by_group = np.full(int(self.group.max(initial=-1)) + 1, -2)
        by_group[self.group] = self.pin
        assert (by_group[self.group] == self.pin).all(), "one group, two pins"

    @cached_property
    def node_ns(self) -> NDArray[np.int64]:
        """[n] time of each node: on its pin, else the mean over the GPUs."""
        mean = self.workload.time_ns[:, : self.gpus].sum(axis=1) // self.gpus
        pinned = self.workload.time_ns[np.arange(len(mean)), np.maximum(self.pin, 0)]
        return np.where(self.pin < 0, mean, pinned)

    @cached_property
    def comm_ns(self) -> NDArray[np.int64]:
        """[m] time of each edge's transfer, if its ends sat on two devices."""
        return self.machine.transfer_ns(self.workload.edge_bytes)

    @cached_property
    def priority(self) -> Priority:
        """The dispatch rule of the mode, worked out once."""
        return ORDERS[self.order](self.workload, self.machine)

    @cached_property
    def _members(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        return rows(int(self.group.max(initial=-1)) + 1, self.group)

    @property
    def group_ptr(self) -> NDArray[np.int64]:
        """[g + 1] `group_node[group_ptr[i]:group_ptr[i + 1]]` are the nodes of group i."""
        return self._members[0]

    @property
    def group_node(self) -> NDArray[np.int32]:
        """[n] nodes sorted by group, then by number."""
        return self._members[1]

    @property
    def groups(self) -> int:
        """Number of colocation groups."""
        return len(self.group_ptr) - 1

    @cached_property
    def neighbours(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
        """(ptr [g + 1], group, ns): the other groups each group exchanges tensors with, one entry an edge."""
        dag, group = self.workload.dag, self.group
        a, b = group[dag.src], group[dag.dst]
        apart = a != b
        near = np.concatenate([a[apart], b[apart]])
        ptr, by_group = rows(self.groups, near)
        return ptr, np.concatenate([b[apart], a[apart]])[by_group], np.tile(self.comm_ns[apart], 2)[by_group]

    @cached_property
    def allowed(self) -> NDArray[np.bool_]:
        """[n, k] the devices each node may run on."""
        device = np.arange(self.machine.k)
        return np.where(self.pin[:, None] < 0, device < self.gpus, device == self.pin[:, None])

    @cached_property
    def lower_bound_ns(self) -> int:
        """No placement in any order is faster."""
        return lower_bound_ns(self.workload, self.machine, self.allowed, self.group)

    @property
    def limited(self) -> bool:
        """Whether any GPU's memory has a limit."""
        return bool((self.machine.memory_bytes < np.iinfo(np.int64).max).any())

    def simulate(self, placement: Placement) -> Schedule:
        """One step under a placement, in the problem's mode."""
        if self.sharing is not None:
            return simulate_sharing(self.workload, self.machine, placement, self.sharing)
        return simulate(self.workload, self.machine, placement, self.priority, self.contention)

    def peaks(self, schedule: Schedule) -> NDArray[np.int64]:
        """[k] the most bytes each device holds at any moment."""
        return memory.peaks(self.workload, self.machine, schedule)

    def settle(self, placement: Placement) -> Placement:
        """The placement with pins honoured and every group whole, on the device where most of its work is.

        Ties go to the smaller device number. O(n + g k).
        """
        settled = placement
        if self.groups < len(placement):
            settled = _majority(self.group, self.groups, self.machine.k, placement, self.node_ns)[self.group]
        return np.where(self.pin < 0, settled, self.pin).astype(np.int32)


def _majority(
    group: NDArray[np.int32], groups: int, k: int, placement: Placement, weight: NDArray[np.int64]
) -> NDArray[np.int32]:
    """[g] the device that holds most of each group's weight (a node counts at least 1); ties to the smaller number."""
    held = np.zeros(groups * k, np.int64)
    np.add.at(held, group.astype(np.int64) * k + placement, np.maximum(weight, 1))
    device: Placement = held.reshape(groups, k).argmax(axis=1).astype(np.int32)
    return device
