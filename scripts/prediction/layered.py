"""A training step of equal layers as a task graph: forward, backward and update by layer, a gradient for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pardnn.distribute.expand import Replica
from pardnn.distribute.fleet import Fleet
from pardnn.distribute.gradients import Gradients
from pardnn.distribute.policy import Policy
from pardnn.distribute.step import step_of
from pardnn.machines.wires import Wires
from pardnn.registry import strategies
from scheduler.dag import Dag, frozen
from scheduler.machine import UNLIMITED, Machine
from scheduler.simulate import simulate
from scheduler.workload import Workload


@dataclass(frozen=True)
class Part:
    """One layer of a step, in order of the forward pass; times in nanoseconds."""

    forward_ns: float
    backward_ns: float
    update_ns: float
    gradient_bytes: int


def replica(parts: Sequence[Part], before_ns: float = 0.0) -> Replica:
    """One GPU's step: what goes before (micro-batches without synchronisation), forward, backward, updates."""
    count = len(parts)
    times = [before_ns, *(part.forward_ns for part in parts), *(part.backward_ns for part in reversed(parts))]
    times += [part.update_ns for part in parts]
    chain = list(range(2 * count + 1))
    trained = [i for i, part in enumerate(parts) if part.gradient_bytes]
    makes = [2 * count - i for i in trained]
    updates = [2 * count + 1 + i for i in trained]
    dag = Dag.from_edges(
        len(times), [*chain[:-1], *[2 * count] * count], [*chain[1:], *range(2 * count + 1, 3 * count + 1)]
    )
    none = np.zeros(dag.n, np.int64)
    time_ns = np.round(times).astype(np.int64)[:, None]
    workload = Workload.build(dag, time_ns, np.zeros(dag.m, np.int64), none, none, none)
    gradients = Gradients(
        frozen(makes, np.int32), frozen([parts[i].gradient_bytes for i in trained], np.int64),
        frozen(updates, np.int32), frozen(np.arange(len(trained)), np.int32), frozen(np.zeros((0, 2)), np.int32),
    )  # fmt: skip
    machine = Machine.uniform(1, UNLIMITED, 0, 10**12)
    return Replica(workload, machine, np.zeros(dag.n, np.int32), gradients)


def step_ms(one: Replica, workers: int, wires: Wires, policy: Policy, sync: str = "ring") -> float:
    """A step on so many GPUs of one host."""
    alone = simulate(one.workload, one.machine, one.placement)
    made = step_of(one, alone, Fleet(workers, workers, wires), strategies.get(sync).make(), policy)
    return made.ns / 1e6
