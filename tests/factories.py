"""Small graphs for tests: drawn by hand as text, or a member of a family.

One byte takes one nanosecond on the machines made here unless a test says otherwise, so the numbers in a drawing are
times throughout, as in the papers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from pardnn.problem import Placement, Problem
from scheduler.dag import Dag
from scheduler.machine import UNLIMITED, Machine
from scheduler.workload import Workload

BYTES_PER_NS = 10**9


@dataclass(frozen=True)
class Sketch:
    """A workload by columns, its nodes known by name; n nodes, m edges."""

    names: tuple[str, ...]
    time: Sequence[int]
    edges: Sequence[tuple[int, int, int]]
    """(source, target, bytes) in file order."""
    resident: Sequence[int] | None = None
    output: Sequence[int] | None = None
    """Default: the largest of the node's edges."""
    temp: Sequence[int] | None = None

    def __getitem__(self, name: str) -> int:
        """The number of the node of that name."""
        return self.names.index(name)

    @property
    def dag(self) -> Dag:
        """The bare graph."""
        return Dag.from_edges(len(self.names), [s for s, _, _ in self.edges], [d for _, d, _ in self.edges])

    def workload(self, k: int = 2) -> Workload:
        """The costs, alike on all k devices."""
        n = len(self.names)
        sent = [max([b for s, _, b in self.edges if s == v], default=0) for v in range(n)]
        time = np.repeat(np.array(self.time, np.int64)[:, None], k, axis=1)
        memory = (self.resident or [0] * n, self.output or sent, self.temp or [0] * n)
        return Workload.build(self.dag, time, [b for _, _, b in self.edges], *memory)

    def problem(
        self,
        gpus: int = 2,
        memory: int = UNLIMITED,
        latency: int = 0,
        groups: str = "",
        pins: Mapping[str, int] | None = None,
        order: str = "fifo",
        contention: str = "link",
    ) -> Problem:
        """The workload on `gpus` alike and a host without a memory limit (device number `gpus`).

        groups: "AB CD" puts A with B and C with D (names of one letter); pins: device numbers by name.
        """
        limits = [memory] * gpus + [UNLIMITED]
        names = (*(f"/device:GPU:{i}" for i in range(gpus)), "/device:CPU:0")
        machine = Machine.ported(names, limits, latency, BYTES_PER_NS)
        group = self._groups(groups)
        pin = np.full(len(group), -1, np.int32)
        for name, device in (pins or {}).items():
            pin[group == group[self[name]]] = device
        return Problem(self.workload(gpus + 1), machine, group, pin, gpus, order, contention)

    def _groups(self, text: str) -> Placement:
        """[n] dense group numbers in order of first appearance."""
        label = list(range(len(self.names)))
        for members in text.split():
            for name in members:
                label[self[name]] = self[members[0]]
        return np.array([sorted(set(label)).index(x) for x in label], np.int32)

    def placement(self, text: str) -> Placement:
        """[n] "ABC DE" puts A, B, C on device 0 and D, E on device 1 (names of one letter)."""
        device = {name: d for d, names in enumerate(text.split()) for name in names}
        return np.array([device[name] for name in self.names], np.int32)


def drawn(text: str, **columns: Sequence[int]) -> Sketch:
    """A graph from a drawing: "A=5 B=2 A-B:3 B-C-D A-D:0".

    `A=5` is a node of 5 ns (1 where not said), `A-B:3` an edge of 3 bytes (1 where not said, 0 = control edge),
    `A-B-C` two edges. Nodes are numbered as they first appear; `columns` (resident, output, temp) are in that order.
    """
    names: dict[str, int] = {}
    time: dict[str, int] = {}
    edges = []
    for word in text.split():
        path, _, size = word.partition(":")
        path, _, cost = path.partition("=")
        nodes = path.split("-")
        for name in nodes:
            names.setdefault(name, len(names))
        if cost:
            time[path] = int(cost)
        edges += [(names[a], names[b], int(size or 1)) for a, b in pairwise(nodes)]
    return Sketch(tuple(names), [time.get(name, 1) for name in names], edges, **columns)


def judged(workload: Workload) -> dict[str, Any]:
    """The workload as a cost graph: times in microseconds, columns as in the file format."""
    dag = workload.dag
    return {
        "time": (workload.time_ns[:, 0] / 1000).tolist(),
        "resident": workload.resident_bytes.tolist(),
        "output": workload.output_bytes.tolist(),
        "temp": workload.temp_bytes.tolist(),
        "src": dag.src.tolist(),
        "dst": dag.dst.tolist(),
        "bytes": workload.edge_bytes.tolist(),
    }


def sketch(pairs: Sequence[tuple[int, int]], n: int, seed: int = 0) -> Sketch:
    """n nodes with drawn costs on the given edges, of the magnitudes that make splitting pay now and then."""
    rng = np.random.default_rng(seed)
    time = rng.integers(1, 100, n).tolist()
    edges = [(s, d, int(b)) for (s, d), b in zip(pairs, rng.integers(0, 40, len(pairs)), strict=True)]
    columns = {name: rng.integers(0, 50, n).tolist() for name in ("resident", "output", "temp")}
    return Sketch(tuple(map(str, range(n))), time, edges, **columns)


def chain(n: int = 12) -> Sketch:
    """0 -> 1 -> ... : nothing can run side by side."""
    return sketch([(i, i + 1) for i in range(n - 1)], n)


def fork_join(width: int = 6) -> Sketch:
    """One node feeds `width` nodes that feed one node."""
    last = width + 1
    return sketch([(0, i) for i in range(1, last)] + [(i, last) for i in range(1, last)], width + 2)


def grid(side: int = 5) -> Sketch:
    """A grid whose edges lead right and down: diamonds everywhere, side-by-side work along the diagonals."""
    right = [(r * side + c, r * side + c + 1) for r in range(side) for c in range(side - 1)]
    down = [(r * side + c, r * side + side + c) for r in range(side - 1) for c in range(side)]
    return sketch(right + down, side * side)


def layered(layers: int = 6, width: int = 8, seed: int = 1) -> Sketch:
    """Layers of nodes with one to three inputs each from the layer before."""
    rng = np.random.default_rng(seed)
    pairs = [
        (layer * width - width + int(source), layer * width + node)
        for layer in range(1, layers)
        for node in range(width)
        for source in np.sort(rng.choice(width, rng.integers(1, 4), replace=False))
    ]
    return sketch(pairs, layers * width)


def star(rays: int = 20) -> Sketch:
    """One node feeds all others."""
    return sketch([(0, i) for i in range(1, rays + 1)], rays + 1)


def two_components() -> Sketch:
    """Two chains that have nothing to do with each other."""
    return sketch([(i, i + 2) for i in range(14)], 16)


def single_node() -> Sketch:
    """One node, no edge."""
    return sketch([], 1)


def no_edges() -> Sketch:
    """Nodes without any edge."""
    return sketch([], 9)


def free_nodes() -> Sketch:
    """A chain of nodes that take no time and edges that carry nothing."""
    plain = chain(8)
    return replace(plain, time=[0] * 8, edges=[(s, d, 0) for s, d, _ in plain.edges])


FAMILIES: Mapping[str, Callable[[], Sketch]] = {
    make.__name__: make
    for make in (chain, fork_join, grid, layered, star, two_components, single_node, no_edges, free_nodes)
}
"""What every registered algorithm is tested on."""
