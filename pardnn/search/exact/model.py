"""The model: every schedule shorter than a given one, as constraints for CP-SAT."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pardnn.problem import Problem
from pardnn.search.exact.ports import Ports
from pardnn.solvers.cp_sat import cp_model
from scheduler.bounds import Forced
from scheduler.bounds.case import Case
from scheduler.bounds.reach import APART
from scheduler.machine import UNLIMITED
from scheduler.schedule import Schedule

Times = NDArray[np.int64]


class Model:
    """Variables: the device of each cluster, the start of each node, the makespan; which edges are cut follows.

    A cluster is what every schedule shorter than `most_ns` keeps on one device. Nodes of a device do not overlap, in
    whatever order; an edge between two devices takes its transfer. Devices hold the residents of their nodes and what
    each node needs besides while it runs. Left out, so that the optimum may be below what can be had, never above: the
    dispatch order, what else a device holds at some moment, and, unless links are contended (`Ports`), that some links
    are slower than the best.
    """

    def __init__(self, problem: Problem, case: Case, forced: Forced, least_ns: int, most_ns: int) -> None:
        self.problem, self.case, self.forced, self.most_ns = problem, case, forced, most_ns
        self.cp = cp_model.CpModel()
        self.makespan = self.cp.new_int_var(min(least_ns, most_ns), most_ns, "")
        self.cp.minimize(self.makespan)
        self.leader = np.unique(forced.label, return_index=True)[1]
        self.on = self._devices()
        latest = most_ns - forced.tail - case.node_ns
        bounds = zip(forced.head.tolist(), latest.tolist(), strict=True)
        self.start = [self.cp.new_int_var(min(low, high), high, "") for low, high in bounds]
        self.cut: dict[tuple[int, int], Any] = {}
        self._run()
        self._read()
        self._hold()
        self._tell_apart()
        self.ports = Ports(self) if problem.contention == "link" else None

    def _devices(self) -> list[dict[int, Any]]:
        """[c] for each device that a cluster may be on, whether it is there."""
        allowed = np.ones((len(self.leader), self.problem.machine.k), np.bool_)
        np.logical_and.at(allowed, self.forced.label, self.problem.allowed)
        on = [{d: self.cp.new_bool_var("") for d in np.flatnonzero(row).tolist()} for row in allowed]
        for choice in on:
            self.cp.add_exactly_one(choice.values())
        return on

    def _run(self) -> None:
        """Each device runs one node at a time, and all its work within the makespan."""
        time, label, tail = (
            self.problem.workload.time_ns.tolist(),
            self.forced.label.tolist(),
            self.forced.tail.tolist(),
        )
        self.length: list[Any] = []
        spans: list[list[Any]] = [[] for _ in range(self.problem.machine.k)]
        work: list[list[Any]] = [[] for _ in spans]
        for v, start in enumerate(self.start):
            choice = self.on[label[v]]
            times = {time[v][d] for d in choice}
            self.length.append(times.pop() if len(times) == 1 else sum(time[v][d] * x for d, x in choice.items()))
            self.cp.add(start + self.length[v] + tail[v] <= self.makespan)
            for d, here in choice.items():
                if time[v][d]:
                    spans[d].append(self.cp.new_optional_fixed_size_interval_var(start, time[v][d], here, ""))
                    work[d].append(time[v][d] * here)
        for d, device in enumerate(spans):
            self.cp.add_no_overlap(device)
            self.cp.add(sum(work[d]) <= self.makespan)

    def _read(self) -> None:
        """A node starts when its inputs have ended and, from elsewhere, been sent."""
        dag, label, tie = self.problem.workload.dag, self.forced.label.tolist(), self.forced.tie.tolist()
        edges = zip(dag.src.tolist(), dag.dst.tolist(), self.case.edge_ns.tolist(), tie, strict=True)
        for u, v, sending, bond in edges:
            arrival = self.start[u] + self.length[u]
            a, b = label[u], label[v]
            if a != b and bond == APART:
                for d in self.on[a].keys() & self.on[b].keys():
                    self.cp.add_bool_or(~self.on[a][d], ~self.on[b][d])
                arrival += sending
            elif a != b and sending:
                arrival += sending * self._cut(a, b)
            self.cp.add(self.start[v] >= arrival)

    def _cut(self, a: int, b: int) -> Any:
        """Whether two clusters are on two devices: true if so, and free if not."""
        pair = min(a, b), max(a, b)
        if pair not in self.cut:
            cut = self.cut[pair] = self.cp.new_bool_var("")
            for one, other in (pair, pair[::-1]):
                for d, here in self.on[one].items():
                    there = self.on[other].get(d)
                    self.cp.add_bool_or(~here, cut, *([] if there is None else [there]))
        return self.cut[pair]

    def _hold(self) -> None:
        """Memory: the residents, and the need of the neediest node on the device."""
        limits, label, workload = self.problem.machine.memory_bytes.tolist(), self.forced.label, self.problem.workload
        held, need = np.zeros((2, len(self.leader)), np.int64)
        np.add.at(held, label, workload.resident_bytes)
        np.maximum.at(need, label, running_bytes(self.problem))
        for d, limit in enumerate(limits):
            if limit == UNLIMITED:
                continue
            here = {c: choice[d] for c, choice in enumerate(self.on) if d in choice}
            taken = self.cp.new_int_var(0, limit, "")
            self.cp.add(sum(int(held[c]) * x for c, x in here.items()) == taken)
            for c, x in here.items():
                if need[c]:
                    self.cp.add(taken + int(need[c]) * x <= limit)

    def _tell_apart(self) -> None:
        """Alike devices are numbered as the largest clusters come to them: all other numberings are the same."""
        if not self._alike():
            return
        held, work = np.zeros((2, len(self.leader)), np.int64)
        np.add.at(held, self.forced.label, self.problem.workload.resident_bytes)
        np.add.at(work, self.forced.label, self.case.node_ns)
        self.largest = np.lexsort((-work, -held)).tolist()
        for i, c in enumerate(self.largest[: self.problem.gpus]):
            for d in range(1, self.problem.gpus):
                earlier = [self.on[b][d - 1] for b in self.largest[:i]]
                self.cp.add_bool_or(~self.on[c][d], *earlier)

    largest: list[int] | None = None

    def _alike(self) -> bool:
        """Whether any two devices can be exchanged."""
        problem, machine = self.problem, self.problem.machine
        gpus = problem.gpus
        apart = ~np.eye(gpus, dtype=np.bool_)
        columns = [
            problem.workload.time_ns[:, :gpus].T, machine.memory_bytes[:gpus],
            machine.latency_ns[:gpus, :gpus][apart], machine.bytes_per_s[:gpus, :gpus][apart],
        ]  # fmt: skip
        return bool((problem.pin < 0).all() and all((column == column[:1]).all() for column in columns))

    def hint(self, schedule: Schedule) -> None:
        """Begin at this schedule."""
        device = schedule.placement[self.leader].tolist()
        number: dict[int, int] = {}
        if self.largest is not None:
            for d in [*(device[c] for c in self.largest), *range(self.problem.gpus)]:
                number.setdefault(d, len(number))
            device = [number[d] for d in device]
        for c, choice in enumerate(self.on):
            for d, x in choice.items():
                self.cp.add_hint(x, device[c] == d)
        for start, at in zip(self.start, schedule.start_ns.tolist(), strict=True):
            self.cp.add_hint(start, at)
        for (a, b), cut in self.cut.items():
            self.cp.add_hint(cut, device[a] != device[b])
        self.cp.add_hint(self.makespan, schedule.makespan_ns)
        if self.ports is not None:
            self.ports.hint(schedule, number)


def running_bytes(problem: Problem) -> Times:
    """[n] the least a device holds, residents aside, while a node runs: inputs, result, scratch. O(m log m).

    An input's producer is either there, and its output is held, or elsewhere, and its tensors are there as copies. What
    is held for no time does not count.
    """
    work, dag = problem.workload, problem.workload.dag
    inputs = np.unique(np.stack([dag.src, dag.dst, work.edge_bytes], axis=1), axis=0)
    pairs, which = np.unique(inputs[:, :2], axis=0, return_inverse=True)
    copied = np.zeros(len(pairs), np.int64)
    np.add.at(copied, which.ravel(), inputs[:, 2])
    need = work.output_bytes + work.temp_bytes
    np.add.at(need, pairs[:, 1], np.minimum(copied, work.output_bytes[pairs[:, 0]]))
    return np.where(work.time_ns.min(axis=1) > 0, need, 0)
