"""A training step of one of many equal workers: its ops, and the tasks that synchronise its gradients.

    op ... op -> gradient --> fused -> [compress] -> leg -> leg -> [decompress] -> summed --> update
                 gradient -/

One worker stands for all: they do the same at the same time, so that its links carry what every other's do. Each of its
devices has links of its own, a device of the simulation each; a host's network and the ways to servers are shared.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pardnn.distribute.fleet import Fleet, Leg, Strategy
from pardnn.distribute.gradients import Gradients, after
from pardnn.distribute.policy import Policy
from pardnn.errors import InputError
from scheduler.dag import Dag, frozen
from scheduler.machine import UNLIMITED, Machine
from scheduler.priority import ORDERS, Priority
from scheduler.schedule import Schedule
from scheduler.simulate import simulate
from scheduler.workload import Workload

JOINS = "joins"
"""Tasks that take no time: where several wait for several."""
_QUICK = 2**62
_LONGEST_NS = 2**59
"""18 years: four steps in a row, and their ops, stay below 2^63."""


@dataclass(frozen=True, eq=False)
class Replica:
    """One worker's step: a workload placed on its devices, and its gradients."""

    workload: Workload
    machine: Machine
    placement: NDArray[np.int32]
    gradients: Gradients
    order: str = "fifo"
    contention: str = "link"


@dataclass(frozen=True)
class Task:
    """One task of the synchronisation."""

    stream: str
    ns: int
    latency_ns: int
    nbytes: int


class Bucket(NamedTuple):
    """Gradients that go together, and their tasks."""

    gradients: tuple[int, ...]
    tasks: tuple[int, ...]
    """Numbers from n on."""


@dataclass(frozen=True, eq=False)
class Expanded:
    """The step with its synchronisation: ops 0 .. n - 1 as they were, then the tasks."""

    workload: Workload
    machine: Machine
    placement: NDArray[np.int32]
    tasks: tuple[Task, ...]
    buckets: tuple[Bucket, ...]
    n: int

    def simulate(self, replica: Replica) -> Schedule:
        """The schedule: ops in the replica's order, tasks before them and among each other as they are ready."""
        own = ORDERS[replica.order](replica.workload, replica.machine)
        tasks = np.zeros(len(self.tasks), np.int64)
        if not own.by_arrival:
            tasks += own.rank.min(initial=0) - len(tasks) + np.arange(len(tasks))
        order = Priority(np.concatenate([own.rank, tasks]), own.by_arrival)
        return simulate(self.workload, self.machine, self.placement, order, replica.contention)


def expand(replica: Replica, alone: Schedule, fleet: Fleet, strategy: Strategy, policy: Policy) -> Expanded:
    """The step of one of `fleet.workers` workers, at least two. `alone` is the replica's schedule without any others.

    O((n + m) log n), whatever the number of workers. Raises InputError where a step is too long.
    """
    making = _Making(replica, policy)
    ready, wave = _ready(replica, alone), waves(replica.workload.dag, replica.gradients)
    at_end = not policy.overlap or not replica.gradients.exact
    barriers = {w: making.barrier(replica.gradients.source[wave == w]) for w in sorted(set(wave.tolist())) if at_end}
    for bucket in _buckets(replica, ready, wave, policy.fusion_bytes):
        making.synchronise(bucket, barriers.get(int(wave[bucket[0]]), -1), fleet, strategy)
    return making.done()


def waves(dag: Dag, gradients: Gradients) -> NDArray[np.int64]:
    """[g] how many sums a gradient has behind it: one that waits for an update cannot go with those it waits for.

    O(n + m). All are 0 but where a second loss is computed after the first one's update.
    """
    behind = after(dag, gradients.reader.tolist())
    if not any(behind[v] for v in gradients.source.tolist()):
        return np.zeros(len(gradients.source), np.int64)
    found, reads = [0] * dag.n, set(gradients.reader.tolist())
    out_ptr, out_edge, dst = dag.out_ptr.tolist(), dag.out_edge.tolist(), dag.dst.tolist()
    for v in dag.order.tolist():
        found[v] += v in reads
        for e in out_edge[out_ptr[v] : out_ptr[v + 1]]:
            found[dst[e]] = max(found[dst[e]], found[v])
    return np.array(found, np.int64)[gradients.source]


def _ready(replica: Replica, alone: Schedule) -> NDArray[np.int64]:
    """[g] when each gradient is there."""
    if not replica.gradients.exact:
        return np.full(len(replica.gradients.source), alone.makespan_ns)
    return alone.finish_ns[replica.gradients.source]


def _buckets(replica: Replica, ready: NDArray[np.int64], wave: NDArray[np.int64], fusion_bytes: int) -> list[list[int]]:
    """Gradients that go together: of one device and wave, ready one after the other, no more bytes than fit."""
    gradients = replica.gradients
    device = replica.placement[gradients.source]
    sizes = gradients.nbytes.tolist()
    found: list[list[int]] = []
    filled, on = fusion_bytes, (-1, -1)
    for g in np.lexsort((np.arange(len(ready)), ready, wave, device)).tolist():
        if (device[g], wave[g]) != on or filled + sizes[g] > fusion_bytes:
            found.append([])
            filled, on = 0, (device[g], wave[g])
        found[-1].append(g)
        filled += sizes[g]
    return sorted(found, key=lambda bucket: (int(ready[bucket].max()), bucket[0]))


@dataclass
class _Making:
    """Tasks and edges as they are added."""

    replica: Replica
    policy: Policy
    tasks: list[Task] = field(default_factory=list)
    where: list[int] = field(default_factory=list)
    buckets: list[Bucket] = field(default_factory=list)
    src: list[int] = field(default_factory=list)
    dst: list[int] = field(default_factory=list)
    streams: dict[str, int] = field(default_factory=dict)
    legs: dict[int, tuple[Leg, ...]] = field(default_factory=dict)
    """By bytes: many layers are alike."""
    readers: list[list[int]] = field(default_factory=list)
    """[g] who waits for each gradient's sum."""

    def __post_init__(self) -> None:
        gradients = self.replica.gradients
        self.readers = [[] for _ in gradients.source]
        for reader, g in zip(gradients.reader.tolist(), gradients.of_reader.tolist(), strict=True):
            self.readers[g].append(reader)

    @property
    def n(self) -> int:
        """Number of ops."""
        return self.replica.workload.dag.n

    def add(self, stream: str, ns: int, latency_ns: int, nbytes: int, after: list[int], device: int = -1) -> int:
        """The number of a new task behind others; on a stream, or on a `device` of the replica."""
        task = self.n + len(self.tasks)
        self.tasks.append(Task(stream, ns, latency_ns, nbytes))
        if device < 0:
            device = self.streams.setdefault(stream, self.replica.machine.k + len(self.streams))
        self.where.append(device)
        self.src += after
        self.dst += [task] * len(after)
        return task

    def barrier(self, sources: NDArray[np.int32]) -> int:
        """A task behind these gradients, or, where nothing says which they are, behind all ops."""
        last = sources
        if not self.replica.gradients.exact:
            last = np.flatnonzero(np.diff(self.replica.workload.dag.out_ptr) == 0).astype(np.int32)
        return self.add(JOINS, 0, 0, 0, last.tolist())

    def synchronise(self, bucket: list[int], barrier: int, fleet: Fleet, strategy: Strategy) -> None:
        """The tasks of one bucket, between its gradients and who waits for them."""
        gradients, first = self.replica.gradients, self.n + len(self.tasks)
        sources = gradients.source[bucket]
        device = int(self.replica.placement[sources[0]])
        nbytes = int(gradients.nbytes[bucket].sum())
        fused = self.add(JOINS, 0, 0, 0, [barrier] if barrier >= 0 else sources.tolist())
        summed = []
        for piece in _pieces(nbytes, self.policy.piece_bytes):
            last = self.squeeze(piece, device, fused)
            sent = -(-piece * self.policy.compression.numerator // self.policy.compression.denominator)
            if sent not in self.legs:
                self.legs[sent] = strategy(sent, fleet)
            for leg in self.legs[sent]:
                stream = f"link {device}" if leg.stream == "link" else leg.stream
                last = self.add(stream, leg.ns, leg.latency_ns, sent, [last])
            summed.append(self.squeeze(piece, device, last))
        end = self.add(JOINS, 0, 0, 0, summed)
        readers = list(dict.fromkeys(reader for g in bucket for reader in self.readers[g]))
        self.src += [end] * len(readers)
        self.dst += readers
        self.buckets.append(Bucket(tuple(bucket), tuple(range(first, end + 1))))

    def squeeze(self, nbytes: int, device: int, after: int) -> int:
        """A task on the worker that compresses or decompresses, where that takes time."""
        share, rate = self.policy.compression, self.policy.memory_bytes_per_s
        if share == 1 or not rate:
            return after
        ns = round((1 + share) * nbytes * 10**9 / rate)
        return self.add(f"compression {device}", ns, 0, nbytes, [after], device)

    def done(self) -> Expanded:
        """The step of all that was added."""
        work, machine = self.replica.workload, self.replica.machine
        if sum(task.ns for task in self.tasks) > _LONGEST_NS:
            raise InputError("a step among these workers would take years: check --link, --network and --bandwidth")
        count, k = len(self.tasks), machine.k + len(self.streams)
        time_ns = np.zeros((self.n + count, k), np.int64)
        time_ns[: self.n, : machine.k] = work.time_ns
        placement = np.concatenate([self.replica.placement, np.array(self.where, np.int32)]).astype(np.int32)
        time_ns[np.arange(self.n, self.n + count), placement[self.n :]] = [task.ns for task in self.tasks]
        dag = Dag.from_edges(
            self.n + count, np.concatenate([work.dag.src, self.src]), np.concatenate([work.dag.dst, self.dst])
        )
        none = np.zeros(count, np.int64)
        built = Workload.build(
            dag, time_ns, np.concatenate([work.edge_bytes, np.zeros(len(self.src), np.int64)]),
            *(np.concatenate([held, none]) for held in (work.resident_bytes, work.output_bytes, work.temp_bytes)),
        )  # fmt: skip
        return Expanded(
            built, _with_streams(machine, self.streams), placement, tuple(self.tasks), tuple(self.buckets), self.n
        )


def _pieces(nbytes: int, most: int) -> list[int]:
    """So many bytes in equal pieces of at most `most`, which differ by one byte.

    >>> _pieces(10, 4), _pieces(10, 0)
    ([4, 3, 3], [10])
    """
    count = -(-nbytes // most) if most else 1
    least, more = divmod(nbytes, count)
    return [least + (i < more) for i in range(count)]


def _with_streams(machine: Machine, streams: dict[str, int]) -> Machine:
    """The machine with a device for each stream, to and from which nothing takes time."""
    k, more = machine.k, len(streams)
    wide = k + more
    latency, rate = np.zeros((wide, wide), np.int64), np.full((wide, wide), _QUICK, np.int64)
    latency[:k, :k], rate[:k, :k] = machine.latency_ns, machine.bytes_per_s
    held = np.zeros((wide, wide), np.int64)
    held[:k, :k] = np.diff(machine.path_ptr).reshape(k, k)
    return Machine(
        (*machine.devices, *streams),
        frozen(np.concatenate([machine.memory_bytes, np.full(more, UNLIMITED)]), np.int64),
        frozen(latency, np.int64),
        frozen(rate, np.int64),
        frozen(np.concatenate([[0], np.cumsum(held.ravel())]), np.int64),
        machine.path_link,
        machine.links,
    )
