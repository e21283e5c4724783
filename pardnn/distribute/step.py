"""The step of one of many equal workers: how long it takes, and what holds it up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pardnn.distribute.expand import JOINS, Replica, Task, expand
from pardnn.distribute.fleet import Fleet, Strategy
from pardnn.distribute.policy import Policy
from pardnn.distribute.unroll import period_ns
from scheduler.schedule import Schedule


@dataclass(frozen=True)
class Load:
    """What a stream carries in a step."""

    busy_ns: int
    latency_ns: int
    """What of it would be left for a byte at a time."""
    nbytes: int


@dataclass(frozen=True)
class Step:
    """One step of one of the workers."""

    ns: int
    sync_ns: int
    """What the longest way of synchronisation takes, one task behind the other: what there is to hide."""
    streams: Mapping[str, Load]
    """By name: "link 0" is that of device 0 of a worker, "network" its host's."""
    buckets: int
    tail_ns: int
    """How long the last gradient's synchronisation ends after the last gradient is there."""


def step_of(replica: Replica, alone: Schedule, fleet: Fleet, strategy: Strategy, policy: Policy) -> Step:
    """The step of one of `fleet.workers` workers; `alone` is the replica's schedule without any others."""
    if fleet.workers == 1:
        return Step(alone.makespan_ns, 0, {}, 0, 0)
    made = expand(replica, alone, fleet, strategy, policy)
    loads = _loads(made.tasks)
    if policy.priority == "layer":
        took, _ = period_ns(made, replica, alone)
        tail = max(0, took - alone.makespan_ns)
    else:
        ran = made.simulate(replica)
        took = ran.makespan_ns
        there = alone.makespan_ns if not replica.gradients.exact else _over(ran, replica)
        tail = max(0, int(ran.finish_ns[made.n :].max()) - there)
    return Step(took, max((load.busy_ns for load in loads.values()), default=0), loads, len(made.buckets), tail)


def _over(ran: Schedule, replica: Replica) -> int:
    """When the last gradient is there."""
    return int(np.max(ran.finish_ns[replica.gradients.source]))


def _loads(tasks: tuple[Task, ...]) -> dict[str, Load]:
    found: dict[str, Load] = {}
    for task in tasks:
        if task.stream != JOINS:
            load = found.get(task.stream, Load(0, 0, 0))
            found[task.stream] = Load(
                load.busy_ns + task.ns, load.latency_ns + min(task.latency_ns, task.ns), load.nbytes + task.nbytes
            )
    return dict(sorted(found.items()))
