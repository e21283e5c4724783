"""The workload of a training step: an op graph or a cost graph, on given hardware."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pardnn.cost.bands import bands
from pardnn.cost.branches import passed_over
from pardnn.cost.estimate import estimate_graph
from pardnn.cost.graph import GraphCosts
from pardnn.cost.model import CostModel
from pardnn.cost.record import OpCost
from pardnn.cost.roofline import LONGEST_NS
from pardnn.cost.tensor import ITEM_BYTES
from pardnn.graph.opgraph import OpGraph
from pardnn.machines.build import Hardware
from scheduler.dag import Dag
from scheduler.workload import Workload

LARGEST_FLOPS = 2**60
"""Where absurd shapes end."""


@dataclass(frozen=True, eq=False)
class Costs:
    """A workload, and how far its figures can be trusted."""

    workload: Workload
    source: tuple[str, ...]
    """[n] "measured", "learned", "roofline", or "default" (by its bytes alone) per op."""
    coverage: Mapping[str, int]
    """Number of ops by source, defaults under roofline, and of ops with an unknown shape."""
    run_ns: NDArray[np.int64]
    """[n] time of one run on the first card, of ops that must run on the host there, whatever the devices' speeds."""
    flops: NDArray[np.int64] | None
    """[n] floating-point operations in one step; None where nothing says."""
    measured_percent: Mapping[str, float]
    """How much is measured: of the "ops", and of their "time" in a step."""
    band: NDArray[np.float64]
    """[n, 2] the true time over this one lies between these for 9 of 10 ops."""
    notes: tuple[str, ...] = ()
    """What the user should know: one line each."""


class CostColumns(Protocol):
    """A graph that brings its own costs: columns over nodes and edges, whole nanoseconds and bytes."""

    @property
    def dag(self) -> Dag:
        """The graph."""
        ...

    @property
    def time_ns(self) -> NDArray[np.int64]:
        """[n] on a device of speed 1."""
        ...

    @property
    def edge_bytes(self) -> NDArray[np.int64]:
        """[m] 0 = control edge."""
        ...

    @property
    def resident_bytes(self) -> NDArray[np.int64]:
        """[n] held for the whole step."""
        ...

    @property
    def output_bytes(self) -> NDArray[np.int64]:
        """[n] held until the last reader is done."""
        ...

    @property
    def temp_bytes(self) -> NDArray[np.int64]:
        """[n] held while the op runs."""
        ...


def graph_costs(
    graph: OpGraph, hardware: Hardware, model: CostModel, bodies: Mapping[str, OpCost] | None = None
) -> Costs:
    """The workload of an op graph: times by `model` on each device's card, an op in a loop as often as it runs.

    Of the branches that lead to one merge the dearest takes time.
    """
    costs = estimate_graph(graph, bodies)
    cards = tuple(dict.fromkeys(hardware.cards))
    estimate = model(graph, costs, cards)
    by_card = np.minimum(estimate.time_ns, LONGEST_NS // graph.trips[:, None]) * graph.trips[:, None]
    idle = passed_over(graph, by_card[:, 0])
    by_card[idle] = 0
    columns = [by_card[:, cards.index(card)] for card in hardware.cards]
    own = np.where(graph.host, columns[-1], columns[0])  # where an op must run on the host, that is the last device
    workload = Workload.build(
        graph.dag, spread(columns, hardware.speed), edge_bytes(graph, costs),
        estimate.resident_bytes, estimate.output_bytes, estimate.temp_bytes,
    )  # fmt: skip
    coverage = {
        "measured": estimate.source.count("measured"),
        "learned": estimate.source.count("learned"),
        "roofline": estimate.source.count("roofline") + estimate.source.count("default"),
        "unknown_shape": graph.unknown_shape,
    }
    return Costs(
        workload, estimate.source, coverage, own // graph.trips, np.where(idle, 0, _flops(graph, costs)),
        _measured_percent(estimate.source, own), bands(estimate.source) if estimate.band is None else estimate.band,
        estimate.notes,
    )  # fmt: skip


def _measured_percent(source: Sequence[str], own_ns: NDArray[np.int64]) -> dict[str, float]:
    measured = np.array([one == "measured" for one in source], np.bool_)
    parts = {"ops": np.ones(len(own_ns)), "time": own_ns.astype(np.float64)}
    return {what: float(100 * weight[measured].sum() / max(weight.sum(), 1)) for what, weight in parts.items()}


def _flops(graph: OpGraph, costs: GraphCosts) -> NDArray[np.int64]:
    """[n] of all runs in a step."""
    pairs = zip(costs.costs, graph.trips.tolist(), strict=True)
    return np.fromiter((min(cost.flops * trips, LARGEST_FLOPS) for cost, trips in pairs), np.int64, graph.dag.n)


def column_costs(columns: CostColumns, hardware: Hardware) -> Costs:
    """The workload of a cost graph: its times are those of a device of speed 1, whatever the card."""
    n = columns.dag.n
    workload = Workload.build(
        columns.dag, spread([columns.time_ns] * len(hardware.speed), hardware.speed), columns.edge_bytes,
        columns.resident_bytes, columns.output_bytes, columns.temp_bytes,
    )  # fmt: skip
    coverage = {"measured": n, "learned": 0, "roofline": 0, "unknown_shape": 0}
    return Costs(
        workload, ("measured",) * n, coverage, columns.time_ns, None, {"ops": 100.0, "time": 100.0}, np.ones((n, 2))
    )


def spread(columns: list[NDArray[np.int64]], speed: tuple[Fraction, ...]) -> NDArray[np.int64]:
    """[n, k] floor(time / speed) per device: a device of speed 1 keeps its times to the nanosecond."""
    result = np.empty((len(columns[0]), len(columns)), np.int64)
    for d, (time_ns, factor) in enumerate(zip(columns, speed, strict=True)):
        result[:, d] = time_ns
        if factor != 1:
            # Python's integers: a product of 64-bit numbers may not fit in one.
            result[:, d] = np.minimum(time_ns.astype(object) * factor.denominator // factor.numerator, LONGEST_NS)
    return result


def edge_bytes(graph: OpGraph, costs: GraphCosts) -> NDArray[np.int64]:
    """[m] bytes of the tensor on each edge: 0 for control, else at least 1.

    The simulator tells the tensors of one producer apart by their size, so where several of its ports are read they
    get different ones: in rising order of (size, port) each at least a byte larger than the one before.
    """
    data = np.flatnonzero(graph.edge_port >= 0)
    result = np.zeros(graph.dag.m, np.int64)
    src, port = graph.dag.src[data].tolist(), graph.edge_port[data].tolist()
    sizes = {(u, p): max(1, _port_bytes(costs, u, p)) for u, p in zip(src, port, strict=True)}
    by_producer: dict[int, list[tuple[int, int]]] = {}
    for (u, p), size in sizes.items():
        by_producer.setdefault(u, []).append((size, p))
    for u, ports in by_producer.items():
        if len(ports) > 1:
            last = 0
            for size, p in sorted(ports):
                last = sizes[u, p] = max(size, last + 1)
    result[data] = [sizes[end] for end in zip(src, port, strict=True)]
    return result


def _port_bytes(costs: GraphCosts, producer: int, port: int) -> int:
    outputs = costs.ops[producer].outputs
    return outputs[port].bytes if port < len(outputs) else ITEM_BYTES[1]
