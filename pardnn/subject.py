"""What is to be placed: a file or an object read, understood, costed and posed as a problem on the hardware asked for."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pardnn.config import Options
from pardnn.cost.model import cost_model
from pardnn.cost.workload import Costs, column_costs, graph_costs
from pardnn.errors import InputError
from pardnn.graph.build import build
from pardnn.graph.devices import parse
from pardnn.graph.opgraph import OpGraph
from pardnn.graph.raw import RawGraph
from pardnn.machines.build import HOST, Hardware, build_machine
from pardnn.machines.spec import load_machine
from pardnn.pins import Wish, pin_groups, read_pin_file, wishes_of_scopes
from pardnn.problem import Problem
from pardnn.readers.costgraph import CostGraph, read_cost_graph
from pardnn.readers.file import Form, load, sniff
from pardnn.readers.graph import parse_graph
from scheduler.dag import CycleError


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
    file: tuple[RawGraph, bytes] | None = None
    """The graph file, where the devices can be written back into it."""

    @property
    def grouped(self) -> int:
        """Number of ops that share a group with another."""
        sizes = np.diff(self.problem.group_ptr)
        return int(sizes[sizes > 1].sum())

    @property
    def coverage(self) -> dict[str, int]:
        """Ops by source of their time, with unknown shapes, pruned, and in groups."""
        return {**self.costs.coverage, "pruned": len(self.unplaced), "grouped": self.grouped}


Graph = RawGraph | CostGraph


def read(graph: Any) -> tuple[Graph, bytes]:
    """The graph in a file or a networkx.DiGraph, and the file's data (empty for a cost graph)."""
    if isinstance(graph, str | Path):
        file = load(graph)
        if sniff(file.data, graph) is Form.JSON:
            return read_cost_graph(file.data, graph), b""
        return parse_graph(file, graph)
    from pardnn.readers.networkx import from_networkx

    return from_networkx(graph), b""


def pose(graph: Any, options: Options) -> Subject:
    """The subject of a path or networkx.DiGraph under these options. Raises InputError."""
    started = time.perf_counter()
    parsed, data = read(graph)
    was_read = time.perf_counter()
    name = str(graph) if isinstance(graph, str | Path) else type(graph).__name__
    make = _from_file if isinstance(parsed, RawGraph) else _from_costs
    return make(name, parsed, data, options, {"read": was_read - started, "cost": -was_read})  # type: ignore[arg-type]


def _from_file(name: str, raw: RawGraph, data: bytes, options: Options, seconds: dict[str, float]) -> Subject:
    graph = build(raw, tuple(options.targets), options.batch_size)
    names = graph.names
    wishes = [(v, HOST, "ops without a GPU kernel") for v in np.flatnonzero(graph.host).tolist()]
    notes = list(graph.notes)
    hosted = {w[0] for w in wishes}
    if options.keep_devices:
        kept = [(v, parse(node.device).local, "--keep-devices") for v, node in enumerate(graph.nodes)]
        wishes += [w for w in kept if w[1] and w[0] not in hosted]
    elif had := sum(bool(node.device) for node in raw.nodes):
        notes.append(f"{had} ops had a device in the file: cleared; --keep-devices keeps them as pins")
    wishes += [w for w in _wished(names, options) if w[0] not in hosted]
    hardware = _hardware(options, host=any(w[1] == HOST for w in wishes))
    costs = graph_costs(graph, hardware, cost_model(options.costs))
    problem = _problem(costs, graph.group, pin_groups(names, graph.group, _numbers(hardware), wishes), hardware, options)
    if unknown := costs.coverage["unknown_shape"]:
        notes.append(f"{unknown} ops have unknown dimensions, which count as 1; --batch-size N sets the leading one")
    return Subject(
        name, raw.source.sha256, names, tuple(node.op for node in graph.nodes), problem, hardware, costs,
        graph.unplaced, graph.nodes_read, graph.edges_read, graph.loops, (*notes, *costs.notes), _stop(seconds), (raw, data),
    )  # fmt: skip


def _from_costs(name: str, graph: CostGraph, data: bytes, options: Options, seconds: dict[str, float]) -> Subject:
    wishes = [(v, _device(d, name), f"{name}: column 'device'") for v, d in enumerate(graph.device) if d is not None]
    wishes += _wished(graph.names, options)
    hardware = _hardware(options, host=any(w[1] == HOST for w in wishes))
    costs = column_costs(graph, hardware)
    try:
        costs.workload.dag.order  # noqa: B018 - raises CycleError
    except CycleError as error:
        cycle = " -> ".join(graph.names[v] for v in error.cycle[:8])
        raise InputError(f"{name}: the graph has a cycle of {len(error.cycle)} nodes: {cycle}") from None
    group = _groups(graph.colocate)
    problem = _problem(costs, group, pin_groups(graph.names, group, _numbers(hardware), wishes), hardware, options)
    return Subject(
        name, graph.sha256, graph.names, graph.ops, problem, hardware, costs,
        {}, len(graph.names), len(graph.src), 0, costs.notes, _stop(seconds),
    )  # fmt: skip


def _stop(seconds: dict[str, float]) -> dict[str, float]:
    return {**seconds, "cost": seconds["cost"] + time.perf_counter()}


def _hardware(options: Options, host: bool) -> Hardware:
    return build_machine(
        load_machine(options.machine), options.gpus, options.mem, options.mem_fraction,
        options.speed, options.latency, options.bandwidth, host,
    )  # fmt: skip


def _numbers(hardware: Hardware) -> dict[str, int]:
    return {device: number for number, device in enumerate(hardware.machine.devices)}


def _problem(
    costs: Costs, group: NDArray[np.int32], pin: NDArray[np.int32], hardware: Hardware, options: Options
) -> Problem:
    return Problem(costs.workload, hardware.machine, group, pin, hardware.gpus, options.order, options.contention)


def _wished(names: tuple[str, ...], options: Options) -> list[Wish]:
    return [] if options.pin is None else wishes_of_scopes(names, read_pin_file(options.pin), options.pin)


def _device(text: str, name: str) -> str:
    device = parse(text).local
    if not device:
        raise InputError(f"{name}: column 'device': {text!r} leaves type or number open; write it like /device:GPU:0")
    return device


def _groups(colocate: tuple[str | None, ...]) -> NDArray[np.int32]:
    """[n] dense group numbers in order of first appearance; a node without a group's name is its own group."""
    number: dict[str | int, int] = {}
    return np.array([number.setdefault(v if c is None else c, len(number)) for v, c in enumerate(colocate)], np.int32)
