"""Small training steps with gradients, by hand: 1 byte takes 1 ns, a round begins with 10."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pardnn.distribute.expand import Replica
from pardnn.distribute.fleet import Fleet
from pardnn.distribute.gradients import Gradients
from pardnn.distribute.policy import Policy
from pardnn.distribute.step import Step, step_of
from pardnn.machines.wires import Wire, Wires
from pardnn.registry import strategies
from scheduler.dag import Dag, frozen
from scheduler.machine import UNLIMITED, Machine
from scheduler.simulate import simulate
from scheduler.workload import Workload

WIRES = Wires("by hand", "", Wire(10, 10**9), Wire(100, 10**8))
"""Inside a host 10 ns and 1 ns a byte, between hosts 100 ns and 10 ns a byte."""


def layers(times: Sequence[int], sizes: Sequence[int], update: int = 0) -> Replica:
    """f0 -> f1 -> ... -> b1 -> b0, an update u_i behind each b_i; forward and backward of a layer take equally long.

    Ops are numbered f0 f1 ... b1 b0 u0 u1 ...; in the next step f_i waits for u_i.
    """
    count = len(times)
    chain = list(range(2 * count))
    makes = [2 * count - 1 - i for i in range(count)]
    updates = [2 * count + i for i in range(count)]
    dag = Dag.from_edges(3 * count, [*chain[:-1], *makes], [*chain[1:], *updates])
    none = np.zeros(dag.n, np.int64)
    column = np.array([*times, *reversed(times), *[update] * count], np.int64)[:, None]
    workload = Workload.build(dag, column, np.zeros(dag.m, np.int64), none, none, none)
    gradients = Gradients(
        frozen(makes, np.int32), frozen(sizes, np.int64), frozen(updates, np.int32),
        frozen(np.arange(count), np.int32), frozen([(u, i) for i, u in enumerate(updates)], np.int32),
    )  # fmt: skip
    machine = Machine.uniform(1, UNLIMITED, 0, 10**12)
    return Replica(workload, machine, np.zeros(dag.n, np.int32), gradients)


def step(
    replica: Replica, workers: int, policy: Policy, sync: str = "ring", per_host: int = 10**9, wires: Wires = WIRES
) -> Step:
    """The step among so many workers."""
    alone = simulate(replica.workload, replica.machine, replica.placement)
    return step_of(replica, alone, Fleet(workers, per_host, wires), strategies.get(sync).make(), policy)
