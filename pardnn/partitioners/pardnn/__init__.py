"""ParDNN: slice the graph into paths, then map the paths onto the devices.

[1] Qararyah, Wahib, Dikbayır, Belviranli, Unat, "A computational-graph partitioning method for training
memory-constrained DNNs", Parallel Computing 104-105 (2021), doi 10.1016/j.parco.2021.102792.

The words of this package:
    comp(v)        time of node v; comm(e) = time of edge e's transfer, if its ends sat on two devices
    tl(v)          longest path from a source to v without comp(v): the earliest v can start
    weight(v)      tl(v) + longest path from v to a sink: the length of the longest path through v
    cluster        a path of nodes that stay together; primary j is device j's first content, the rest are secondaries
    criticality    of a cluster: the largest weight of its nodes
    span           of a secondary: when it could run, a half-open interval of tl
    load           of a device in a span: sum of comp of its nodes with tl in the span
    pool           the nodes not mapped yet
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pardnn.partitioners._speed import heaviest_on_fastest
from pardnn.partitioners.pardnn.mapping import look_ahead, map_by_level, unmapped
from pardnn.partitioners.pardnn.slicing import Clusters, slice_graph
from pardnn.partitioners.pardnn.spans import Timeline
from pardnn.problem import Placement, Problem
from pardnn.registry import partitioner


@partitioner("pardnn", summary="slice into heaviest paths, map them by locality first, then by load in their span")
@dataclass(frozen=True)
class ParDNN:
    """ParDNN [1] without its memory step: slicing, look-ahead, level-aware load balancing (LALB).

    O(K (n + m)) slicing and O(n log^2 n) mapping for K devices. What [1] leaves open:
      - M, the load to compare with in the look-ahead, is the largest of the other devices (0 with one device).
      - Ties: of equally heavy nodes the one with the smallest tl, then the smallest number; of devices the smallest
        number.
      - A control edge costs what a transfer of no bytes costs. All edges count, also several that carry one tensor.
      - Traffic with the pool is traffic with no device: such a secondary is not "totally communicating" yet.
      - Nodes bound to a GPU count as that device's first content. Nodes bound to the host are on no path and in no
        load; their edges count in tl and weight, but not as traffic: they cost the same wherever the other end sits.
      - Nodes are decided on singly; then each group goes to the device that holds most of its work.
    Differs from [1]:
      - Of unlike devices the fastest gets the part with most work, if that makes the step shorter.
      - A secondary path ends where its heaviest successor, by the weight that one had when it was taken, lies on an
        earlier path, instead of going on to the next lighter one. The span supposes that a path leaves the others
        once and comes back once; beyond such a node it would be the way from a forward op to its gradient.
      - A span begins when the whole path can run without waiting (the latest arrival from outside at any of its nodes,
        less the path's work before that node), not when its first node can. For paths fed at their head only, such as
        all of [1]'s example, the two are the same; a path that begins at a constant would span the whole step.
      - Where links are contended (which [1] does not model) LALB counts a device's load up to `relief` times the
        secondary's own work: moving little work away cannot save much, but every transfer holds up others.
    """

    local_ccr: int = 10
    """From this ratio of communication to computation on, also the "maximally communicating" are candidates."""
    relief: int = 4
    slices: Callable[[Problem], Clusters] = slice_graph
    """Stage I; for thin graphs `chunks.thin_slices`, Heuristic II B of [1]."""

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """A placement [n]. Deterministic: `rng` is not used."""
        clusters = self.slices(problem)
        timeline = Timeline.of(problem, clusters)
        ratio = int(problem.comm_ns.sum()) / max(1, int(problem.node_ns.sum()))
        device = unmapped(problem, clusters)
        look_ahead(problem, clusters, timeline, device, maximal=ratio >= self.local_ccr)
        map_by_level(problem, clusters, timeline, device, self.relief if problem.contention == "link" else 0)
        placement = problem.settle(np.where(problem.pin < 0, device, problem.pin).astype(np.int32))
        return heaviest_on_fastest(problem, placement)
