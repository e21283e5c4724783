"""Transfers that wait for one another: where links carry one tensor at a time, the model says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from scheduler.machine import link_ns
from scheduler.schedule import Schedule

if TYPE_CHECKING:
    from pardnn.search.exact.model import Model

MOST = 30_000
"""Tensors x pairs of devices up to which links are modelled; beyond that the bound ignores that they are busy."""


class Ports:
    """Each tensor on its way to each device: whether it is sent there, from where, and when; no link carries two.

    A tensor is a producer and a size, as in the simulation: its readers on one device share one transfer. The order in
    which transfers ask for a link is left open.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        dag, label, size = model.problem.workload.dag, model.forced.label, model.problem.workload.edge_bytes
        self.readers: dict[tuple[int, int], list[int]] = {}
        for e in np.flatnonzero((label[dag.src] != label[dag.dst]) & (model.case.edge_ns > 0)).tolist():
            self.readers.setdefault((int(dag.src[e]), int(size[e])), []).append(e)
        self.sent: dict[tuple[int, int, int], tuple[Any, Any]] = {}
        self.hops: dict[tuple[int, int, int, int], Any] = {}
        if len(self.readers) * model.problem.machine.k**2 > MOST:
            return
        carried: list[list[Any]] = [[] for _ in model.problem.machine.links]
        for (u, nbytes), edges in self.readers.items():
            for d in sorted({d for e in edges for d in model.on[label[dag.dst[e]]]}):
                self._send(u, nbytes, d, edges, carried)
        for spans in carried:
            model.cp.add_no_overlap(spans)

    def _send(self, u: int, nbytes: int, d: int, edges: list[int], carried: list[list[Any]]) -> None:
        """The tensor's transfer to device d, there if a reader is and the producer is not."""
        model, machine, cp = self.model, self.model.problem.machine, self.model.cp
        label, dst = model.forced.label, model.problem.workload.dag.dst
        homes = model.on[label[u]]
        sent, begin = cp.new_bool_var(""), cp.new_int_var(0, model.most_ns, "")
        self.sent[u, nbytes, d] = sent, begin
        cp.add(begin >= model.start[u] + model.length[u]).only_enforce_if(sent)
        if d in homes:
            cp.add_implication(sent, ~homes[d])
        arrival: Any = begin
        for home, here in homes.items():
            if home == d:
                continue
            hop = self.hops[u, nbytes, home, d] = cp.new_bool_var("")
            cp.add_bool_or(~sent, ~here, hop)
            cp.add_implication(hop, here)
            cp.add_implication(hop, sent)
            pair = home * machine.k + d
            takes = int(
                link_ns(np.array([nbytes]), int(machine.latency_ns[home, d]), int(machine.bytes_per_s[home, d]))[0]
            )
            arrival = arrival + takes * here
            span = cp.new_optional_fixed_size_interval_var(begin, takes, hop, "")
            for link in machine.path_link[machine.path_ptr[pair] : machine.path_ptr[pair + 1]].tolist():
                carried[link].append(span)
        for e in edges:
            there = model.on[label[dst[e]]].get(d)
            if there is None:
                continue
            apart = [there] if d not in homes else [there, ~homes[d]]
            cp.add_bool_or(sent, *(~x for x in apart))
            cp.add(model.start[int(dst[e])] >= arrival).only_enforce_if(apart)

    def hint(self, schedule: Schedule, number: dict[int, int]) -> None:
        """Begin at this schedule, its devices renumbered."""
        place = [number.get(d, d) for d in schedule.placement.tolist()]
        begun = {
            (u, nbytes, number.get(d, d)): begin
            for u, nbytes, d, begin in zip(
                schedule.transfer_src.tolist(), schedule.transfer_bytes.tolist(),
                schedule.transfer_device.tolist(), schedule.transfer_start_ns.tolist(), strict=True,
            )
        }  # fmt: skip
        for key, (sent, begin) in self.sent.items():
            self.model.cp.add_hint(sent, key in begun)
            self.model.cp.add_hint(begin, begun.get(key, 0))
        for (u, nbytes, home, d), hop in self.hops.items():
            self.model.cp.add_hint(hop, (u, nbytes, d) in begun and place[u] == home)
