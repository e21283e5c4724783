"""A problem's graph while it is changed: ops are added, readers are turned to other ops, edges are laid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pardnn.problem import Problem
from scheduler.dag import Dag
from scheduler.workload import Workload


class Changed(NamedTuple):
    """A problem with more ops than another: the old ones keep their numbers, the new ones follow."""

    problem: Problem
    origin: tuple[int, ...]
    """The old op that each new one copies or serves."""
    role: tuple[str, ...]
    """What each new op is: the last part of its name."""

    def names(self, names: Sequence[str]) -> tuple[str, ...]:
        """Every op's name: "x/again" repeats x. None occurs twice."""
        taken, result = set(names), list(names)
        for v, role in zip(self.origin, self.role, strict=True):
            name = new = f"{names[v]}/{role}"
            number = 1
            while new in taken:
                number += 1
                new = f"{name}_{number}"
            taken.add(new)
            result.append(new)
        return tuple(result)


class Draft:
    """What `changed` is made of. A new op is a group of its own, or sits with a `mate`."""

    def __init__(self, problem: Problem) -> None:
        work = problem.workload
        self._problem = problem
        self._src, self._dst = work.dag.src.copy(), work.dag.dst.copy()
        self.resident, self.output = work.resident_bytes.copy(), work.output_bytes.copy()
        self._rows: list[tuple[NDArray[np.int64], int, int, int, int]] = []
        self._group: list[int] = []
        self._edges: list[tuple[int, int, int]] = []
        self._origin: list[int] = []
        self._role: list[str] = []

    def add(
        self,
        origin: int,
        role: str,
        time_ns: NDArray[np.int64],
        output: int,
        temp: int = 0,
        held: int = 0,
        pin: int = -1,
        mate: int | None = None,
    ) -> int:
        """The number of a new op with these costs: time_ns [k], bytes of output, scratch and held all the time."""
        new = self._problem.groups + len(self._rows)
        self._group.append(new if mate is None else self._group_of(mate))
        self._rows.append((time_ns, output, temp, held, pin))
        self._origin.append(origin)
        self._role.append(role)
        return self._problem.workload.dag.n + len(self._rows) - 1

    def _group_of(self, op: int) -> int:
        n = self._problem.workload.dag.n
        return int(self._problem.group[op]) if op < n else self._group[op - n]

    def copy(self, v: int, role: str, mate: int | None = None) -> int:
        """The number of a new op that costs what v costs, without its edges."""
        work, pin = self._problem.workload, int(self._problem.pin[v])
        output, temp = int(work.output_bytes[v]), int(work.temp_bytes[v])
        return self.add(v, role, work.time_ns[v], output, temp, pin=pin, mate=mate)

    def on_host(self, origin: int, role: str, output: int, held: int = 0) -> int:
        """The number of a new op in the host's memory, the last device, that takes no time there."""
        problem = self._problem
        host = problem.machine.k - 1
        assert host >= problem.gpus
        return self.add(origin, role, np.zeros(host + 1, np.int64), output, held=held, pin=host)

    def edge(self, first: int, then: int, size: int = 0) -> None:
        """One op more that another reads so many bytes of; 0 = waits for."""
        self._edges.append((first, then, size))

    def turn(self, edges: Iterable[int], source: int) -> None:
        """The readers of these old edges read another op."""
        self._src[list(edges)] = source

    @property
    def changed(self) -> Changed:
        """The problem as it is now; an AssertionError where the changes closed a cycle."""
        problem, work = self._problem, self._problem.workload
        n, more = work.dag.n, len(self._rows)
        times = np.array([row[0] for row in self._rows], np.int64).reshape(more, work.k)
        output, temp, held, pin = (np.array([row[i] for row in self._rows], np.int64) for i in (1, 2, 3, 4))
        added = np.array(self._edges, np.int64).reshape(-1, 3)
        dag = Dag.from_edges(
            n + more, np.r_[self._src, added[:, 0]].astype(np.int32), np.r_[self._dst, added[:, 1]].astype(np.int32)
        )
        assert len(dag.order) == dag.n
        changed = Workload.build(
            dag, np.concatenate([work.time_ns, times]), np.r_[work.edge_bytes, added[:, 2]],
            np.r_[self.resident, held], np.r_[self.output, output], np.r_[work.temp_bytes, temp],
        )  # fmt: skip
        group = np.unique(np.r_[problem.group, np.array(self._group, np.int64)], return_inverse=True)[1].astype(
            np.int32
        )
        posed = replace(problem, workload=changed, group=group, pin=np.r_[problem.pin, pin].astype(np.int32))
        return Changed(posed, tuple(self._origin), tuple(self._role))
