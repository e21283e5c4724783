"""What is to be placed: a file or an object read, understood, costed and posed as a problem on hardware."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pardnn.config import Options
from pardnn.cost.workload import Costs, column_costs, graph_costs
from pardnn.errors import InputError, PardnnError
from pardnn.graph.build import build
from pardnn.graph.devices import parse
from pardnn.graph.opgraph import OpGraph
from pardnn.graph.raw import RawGraph
from pardnn.machines.build import HOST, Hardware, build_machine
from pardnn.machines.spec import load_machine
from pardnn.measured import model_of
from pardnn.order.edges import Edges, with_edges
from pardnn.pins import Wish, pin_groups, planned_name, read_pin_file, wishes_of_file, wishes_of_scopes
from pardnn.problem import Problem
from pardnn.readers.costgraph import CostGraph, read_cost_graph, write_cost_graph
from pardnn.readers.file import File, Form, load, sniff
from pardnn.readers.graph import parse_graph
from scheduler.dag import CycleError
from scheduler.machine import Machine
from scheduler.workload import Workload

_EVENTS = "read from an events file; placed, it is written as a GraphDef, for TensorFlow loads no graph from events"

_LARGEST = 2.0**61  # nanoseconds or bytes; a few sums of such still fit into int64


@dataclass(frozen=True, eq=False)
class Subject:
    """A graph with costs on given hardware. Columns over the n nodes that are placed."""

    name: str
    """The file's name, or what kind of object it was."""
    sha256: str
    names: tuple[str, ...]
    ops: tuple[str, ...]
    problem: Problem
    hardware: Hardware
    costs: Costs
    unplaced: Mapping[str, str]
    nodes_read: int
    edges_read: int
    loops: int
    notes: tuple[str, ...]
    seconds: Mapping[str, float]
    homes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """(function, node) in the file's library where the device of an op stands that is not in the graph itself."""
    file: tuple[RawGraph, bytes] | None = None
    """The graph file, where the devices can be written back into it."""
    graph: OpGraph | None = None
    """The op graph; None of a cost graph."""
    control_edges: Edges = ()
    """Pairs of ops of which the second is made to wait: the last edges of the problem's graph."""
    unordered: Problem | None = None
    """The problem without these edges, where there are some."""

    @property
    def own(self) -> Problem:
        """The problem with the graph's own edges only."""
        return self.unordered or self.problem

    @property
    def grouped(self) -> int:
        """Number of ops that share a group with another."""
        sizes = np.diff(self.problem.group_ptr)
        return int(sizes[sizes > 1].sum())

    @property
    def coverage(self) -> dict[str, int]:
        """Ops by source of their time, with unknown shapes, pruned, and in groups."""
        return {**self.costs.coverage, "pruned": len(self.unplaced), "grouped": self.grouped}


class Input(NamedTuple):
    """A graph as it was given: parsed, with the data of its file (of a cost graph none is kept) and their sha256."""

    name: str
    graph: RawGraph | CostGraph
    data: bytes
    sha256: str


def read(graph: Any, batch_size: int | None = None) -> Input:
    """The graph in a file, in a protobuf message (a GraphDef or what holds one) or in a networkx.DiGraph.

    Of a compiled Keras model it is the training step, of so many examples.
    """
    if isinstance(graph, str | Path):
        return _parse(str(graph), load(graph))
    if is_model(graph):
        from pardnn.placers.extract import extracted

        graph, _ = extracted(graph, type(graph).__name__, batch_size)
    if hasattr(graph, "SerializeToString"):
        data = graph.SerializeToString(deterministic=True)
        return _parse(type(graph).__name__, File(data, gzip=False, sha256=hashlib.sha256(data).hexdigest()))
    from pardnn.readers.networkx import from_networkx

    columns = from_networkx(graph)
    sha256 = hashlib.sha256(write_cost_graph(columns, packed=False)).hexdigest()
    return Input(type(graph).__name__, columns, b"", sha256)


def is_model(graph: Any) -> bool:
    """Whether this is a Keras model, told without TensorFlow."""
    return hasattr(graph, "train_step")


def _parse(name: str, file: File) -> Input:
    if file.data and sniff(file.data, name) is Form.JSON:
        return Input(name, read_cost_graph(file.data, name), b"", file.sha256)
    raw, data = parse_graph(file, name)
    return Input(name, raw, data, file.sha256)


def pose(graph: Any, options: Options, *, host: bool = False) -> Subject:
    """The subject of a path, a protobuf message or a networkx.DiGraph under these options.

    The host is among the devices if an op is pinned to it, or if `host`. Raises InputError, and DoesNotFit for a group
    of ops that no device can run.
    """
    hardware_of(options, host)  # a wrong option is told before a large file is read
    started = time.perf_counter()
    given = read(graph, options.batch_size)
    if is_model(graph):  # traced for that size, its graph has it already
        options = replace(options, batch_size=None)
    was_read = time.perf_counter()
    make = _from_file if isinstance(given.graph, RawGraph) else _from_costs
    return make(given, options, host, {"read": was_read - started, "cost": -was_read})


def with_memory(subject: Subject, options: Options) -> Subject:
    """The same subject under options that differ in memory only."""
    hardware = hardware_of(options, host=HOST in subject.problem.machine.devices)
    return replace(subject, hardware=hardware, problem=replace(subject.problem, machine=hardware.machine))


def again(subject: Subject, options: Options) -> Subject:
    """The subject's graph file understood anew under other options. Raises InputError."""
    assert subject.file is not None
    given = Input(subject.name, *subject.file, subject.sha256)
    host = HOST in subject.problem.machine.devices
    return _from_file(given, options, host, {"read": 0.0, "cost": -time.perf_counter()})


def with_order(subject: Subject, edges: Edges) -> Subject:
    """The same subject with these control edges in place of those it has."""
    own = subject.own
    if not edges:
        return replace(subject, problem=own, control_edges=(), unordered=None)
    return replace(subject, problem=with_edges(own, edges), control_edges=edges, unordered=own)


def _from_file(given: Input, options: Options, host: bool, seconds: dict[str, float]) -> Subject:
    raw = given.graph
    assert isinstance(raw, RawGraph)
    graph = _build(given.name, raw, options)
    names = graph.names
    wishes = [(v, HOST, "ops without a GPU kernel") for v in np.flatnonzero(graph.host).tolist()]
    notes = [*graph.notes, *([_EVENTS] if raw.source.events else [])]
    hosted = {w[0] for w in wishes}
    if options.keep_devices:
        kept, told = wishes_of_file(graph.nodes, hosted, options.hosts)
        wishes += kept
        notes += told
    elif had := sum(bool(node.device) for node in raw.nodes):
        notes.append(f"{had} ops had a device in the file: cleared; --keep-devices keeps them as pins")
    wishes += [w for w in _wished(names, options) if w[0] not in hosted]
    hardware = hardware_of(options, host or any(w[1] == HOST for w in wishes))
    costs = graph_costs(graph, hardware, model_of(options.costs))
    problem = _problem(
        given.name, costs, graph.group, pin_groups(names, graph.group, _numbers(hardware), wishes), hardware, options
    )
    if unknown := costs.coverage["unknown_shape"]:
        have = "op has" if unknown == 1 else "ops have"
        notes.append(f"{unknown} {have} unknown dimensions, which count as 1; --batch-size N sets the leading one")
    return Subject(
        given.name, given.sha256, names, tuple(node.op for node in graph.nodes), problem, hardware, costs,
        graph.unplaced, graph.nodes_read, graph.edges_read, graph.loops, (*notes, *costs.notes), _stop(seconds),
        graph.homes, (raw, given.data), graph,
    )  # fmt: skip


def _build(name: str, raw: RawGraph, options: Options) -> OpGraph:
    """The op graph; what is wrong with it is told with the file's name."""
    try:
        return build(raw, tuple(options.targets), options.batch_size, options.tf_shapes)
    except PardnnError as error:
        told = str(error)
        raise error if name in told else type(error)(f"{name}: {told}") from None


def _from_costs(given: Input, options: Options, host: bool, seconds: dict[str, float]) -> Subject:
    name, graph = given.name, given.graph
    assert isinstance(graph, CostGraph)
    wishes = [
        (v, _device(d, name, options.hosts), f"{name}: column 'device'")
        for v, d in enumerate(graph.device)
        if d is not None
    ]
    wishes += _wished(graph.names, options)
    hardware = hardware_of(options, host or any(w[1] == HOST for w in wishes))
    costs = column_costs(graph, hardware)
    try:
        costs.workload.dag.order  # noqa: B018 - raises CycleError
    except CycleError as error:
        cycle = " -> ".join(graph.names[v] for v in error.cycle[:8])
        raise InputError(f"{name}: the graph has a cycle of {len(error.cycle)} nodes: {cycle}") from None
    model_of(options.costs)  # an unknown one is an error here too
    idle = {
        "--costs": options.costs != "auto", "--targets": options.targets, "--batch-size": options.batch_size,
        "--keep-devices": options.keep_devices, "--tf-shapes": options.tf_shapes,
    }  # fmt: skip
    told = [option for option, is_given in idle.items() if is_given]
    notes = (*costs.notes, *([f"{name}: brings its own costs: {', '.join(told)} idle"] if told else []))
    group = _groups(graph.colocate)
    problem = _problem(
        name, costs, group, pin_groups(graph.names, group, _numbers(hardware), wishes), hardware, options
    )
    return Subject(
        name, given.sha256, graph.names, graph.ops, problem, hardware, costs,
        {}, len(graph.names), len(graph.src), 0, notes, _stop(seconds),
    )  # fmt: skip


def _stop(seconds: dict[str, float]) -> dict[str, float]:
    return {**seconds, "cost": seconds["cost"] + time.perf_counter()}


def hardware_of(options: Options, host: bool = False) -> Hardware:
    """The devices asked for, with the host as the last if `host`. Raises InputError."""
    return build_machine(
        load_machine(options.machine), options.gpus, options.mem, options.mem_fraction,
        options.speed, options.latency, options.bandwidth, host, options.hosts,
    )  # fmt: skip


def _numbers(hardware: Hardware) -> dict[str, int]:
    return {device: number for number, device in enumerate(hardware.machine.devices)}


def _problem(
    name: str, costs: Costs, group: NDArray[np.int32], pin: NDArray[np.int32], hardware: Hardware, options: Options
) -> Problem:
    _countable(name, costs.workload, hardware.machine)
    return Problem(
        costs.workload, hardware.machine, group, pin, hardware.gpus, options.order, options.contention, hardware.sharing
    )


def _countable(name: str, workload: Workload, machine: Machine) -> None:
    """Raise InputError where the whole numbers of a step could pass what int64 holds, and wrap around in silence."""
    nodes, sizes = workload.time_ns.max(axis=1, initial=0).astype(np.float64), workload.edge_bytes.astype(np.float64)
    edges = float(machine.latency_ns.max()) + sizes / float(machine.bytes_per_s.min()) * 1e9
    longest = max(nodes.max(initial=0), edges.max(initial=0))
    if nodes.sum() + edges.sum() >= _LARGEST or longest * machine.k**2 >= _LARGEST:
        raise InputError(
            f"{name}: a step may take longer than 70 years: are --bandwidth, --latency and the times right?"
        )
    held = (workload.resident_bytes, workload.output_bytes, workload.temp_bytes, sizes)
    if sum(float(column.sum(dtype=np.float64)) for column in held) >= _LARGEST:
        raise InputError(f"{name}: a step may hold more than 2^61 bytes: are the sizes right?")


def _wished(names: tuple[str, ...], options: Options) -> list[Wish]:
    return (
        [] if options.pin is None else wishes_of_scopes(names, read_pin_file(options.pin, options.hosts), options.pin)
    )


def _device(text: str, name: str, hosts: int) -> str:
    device = planned_name(parse(text), hosts)
    if not device:
        raise InputError(f"{name}: column 'device': {text!r} leaves type or number open; write it like /device:GPU:0")
    return device


def _groups(colocate: tuple[str | None, ...]) -> NDArray[np.int32]:
    """[n] dense group numbers in order of first appearance; a node without a group's name is its own group."""
    number: dict[str | int, int] = {}
    return np.array([number.setdefault(v if c is None else c, len(number)) for v, c in enumerate(colocate)], np.int32)
