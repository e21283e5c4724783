"""One worker of many: its plan, its gradients, and what joins it to the others, as they were asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pardnn.config import Options
from pardnn.distribute.gradients import Gradients, find_gradients, resident_gradients
from pardnn.distribute.policy import PRIORITIES, Policy, parse_compression
from pardnn.errors import DoesNotFit, InputError
from pardnn.graph.kernels import RESOURCE
from pardnn.machines.spec import MachineSpec
from pardnn.machines.wires import Wires, load_wires, machine_wires, with_network
from pardnn.pipeline import follow, solve
from pardnn.placers.plan import read_plan
from pardnn.plan import Plan
from pardnn.recall import recall, uses_host
from pardnn.subject import Subject, pose
from pardnn.units import format_size, parse_rate, parse_size, parse_time

_FED = frozenset({"Placeholder", "PlaceholderV2", "_Arg"})
_GPUS_A_HOST = 8
"""Of a machine that has any number of GPUs, where nothing else is said."""
_PIECES = 100_000
"""Into so many pieces gradients are cut at most: each is a task of the simulation."""


@dataclass(frozen=True)
class Sync:
    """What may be said of synchronisation, as the command line has it."""

    sync: str = "ring"
    overlap: bool = True
    fusion: str = "64MB"
    partition: str = "0"
    compression: str = "none"
    priority: str = "ready"
    hosts: int | None = None
    gpus_per_host: int | None = None
    link: str | None = None
    network: str | None = None
    servers: int | None = None


def worker(graph: Any, path: str | None, gpus: int | None, given: dict[str, Any], tell: Callable[[str], None]) -> Plan:
    """The plan of one worker: on one GPU, on several, or the stored one."""
    tell(f"reading {graph}")
    if path is not None:
        if gpus is not None:
            raise InputError("--plan says how many GPUs a worker has: leave --gpus-per-replica out")
        stored = read_plan(path)
        asked = recall(stored, path, given)
        if asked.hosts > 1:
            raise InputError(f"{path}: is a plan for {asked.hosts} hosts; a worker must be on one")
        made, _ = follow(_posed(graph, asked, host=uses_host(stored)), asked, stored)
    else:
        asked = Options.of(**({"gpus": gpus or 1, "method": "auto" if (gpus or 1) > 1 else "single"} | given))
        subject = _posed(graph, asked)
        made = solve(subject, asked, tell)
    if not made.fits:
        raise DoesNotFit(
            f"{made.subject.name}: a worker's step needs {format_size(max(made.peak_bytes))} on a GPU: "
            "give it more GPUs with --gpus-per-replica, or larger ones with --mem"
        )
    return made


def _posed(graph: Any, options: Options, host: bool = False) -> Subject:
    """The subject; the batch size of a cost graph says what its times are for and changes none of them."""
    subject = pose(graph, options, host=host)
    if subject.graph is None and options.batch_size is not None:
        subject = pose(graph, replace(options, batch_size=None), host=host)
    return subject


def batch_of(made: Plan) -> int | None:
    """Samples of one worker's step."""
    return samples_in(made.subject, made.options)


def samples_in(subject: Subject, options: Options) -> int | None:
    """Samples of a step: as given, but for a graph that has a leading dimension of its own."""
    graph, given = subject.graph, options.batch_size
    if graph is None or graph.batched:
        return given
    fed = [
        shapes[0].dims[0]
        for node, shapes, types in zip(graph.nodes, graph.output_shapes, graph.output_dtypes, strict=True)
        if node.op in _FED and shapes and shapes[0].dims and types[:1] != (RESOURCE,)
    ]
    return fed[0] if fed and fed[0] > 0 and len(set(fed)) == 1 else given


def gradients_of(subject: Subject) -> Gradients:
    """What the workers synchronise. Raises InputError where there is nothing."""
    workload = subject.problem.workload
    if subject.graph is None:
        return resident_gradients(workload, subject.name)
    return find_gradients(subject.graph, workload, subject.name)


def wires_of(asked: Sync, machine: MachineSpec, options: Options) -> Wires:
    """What joins the workers. Raises InputError."""
    wires = machine_wires(machine) if asked.link is None else load_wires(asked.link, machine)
    latency_ns = parse_time(options.latency) if options.latency else machine.latency_ns
    rate = parse_rate(options.bandwidth) if options.bandwidth else machine.bytes_per_s
    if asked.link is None and (latency_ns, rate) != (machine.latency_ns, machine.bytes_per_s):
        wires = load_wires(f"{latency_ns}ns,{rate}B/s", machine)
    return wires if asked.network is None else with_network(wires, asked.network, machine)


def policy_of(asked: Sync, made: Plan, gradients: Gradients) -> Policy:
    """How gradients are sent. Raises InputError."""
    if asked.priority not in PRIORITIES:
        raise InputError(f"--priority: {asked.priority!r} is not one of {', '.join(PRIORITIES)}")
    if asked.priority == "layer" and not len(gradients.again):
        raise InputError(
            f"{made.subject.name}: --priority layer needs to know which ops read which weights: give the graph file"
        )
    if asked.priority == "layer" and not asked.overlap:
        raise InputError("--priority layer sends gradients while ops run: leave --no-overlap out")
    card, piece = made.subject.hardware.cards[0], _bytes(asked.partition, "partition")
    if piece and (pieces := gradients.total_bytes // piece) > _PIECES:
        raise InputError(
            f"--partition {asked.partition}: cuts {format_size(gradients.total_bytes)} of gradients into {pieces:,} "
            f"pieces; give a size for at most {_PIECES:,}"
        )
    return Policy(
        asked.overlap, _bytes(asked.fusion, "fusion"), piece,
        parse_compression(asked.compression), card.memory_bytes_per_s,
        "layer" if asked.priority == "layer" else "ready",
    )  # fmt: skip


def _bytes(text: str, option: str) -> int:
    try:
        return parse_size(text)
    except InputError as error:
        raise InputError(f"--{option}: {error}") from None


def gpus_per_host(asked: Sync, machine: MachineSpec, each: int, most: int) -> int:
    """GPUs of one host: as said, else so that the most workers fill the hosts, else the machine's own."""
    if asked.servers is not None and asked.servers < 1:
        raise InputError(f"--servers: {asked.servers} is no number of servers")
    own = _GPUS_A_HOST if machine.extensible else len(machine.gpus)
    found = asked.gpus_per_host or (own if asked.hosts is None else -(-most * each // max(asked.hosts, 1)))
    if asked.hosts is not None and (asked.hosts < 1 or asked.hosts * (found // each) < most):
        raise InputError(f"--hosts: {asked.hosts} hosts of {found} GPUs hold no {most} workers of {each} each")
    if found < each:
        raise InputError(f"--gpus-per-host: a worker of {each} GPUs does not fit into a host with {found}")
    return found
