"""What was read: a graph's facts before anything is decided, and the graph with its costs for other tools."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pardnn.graph.raw import Source
from pardnn.machines.build import HOST
from pardnn.readers.costgraph import CostGraph
from pardnn.subject import Subject
from scheduler.levels import bottom_levels

_LARGEST = 5  # groups told one by one


def survey(subject: Subject) -> dict[str, Any]:
    """Every fact by name, ready for JSON. Times are those of the first GPU, of a pinned op those of its own device."""
    work, time_ns = subject.problem.workload, own_time_ns(subject)
    raw = subject.file[0] if subject.file else None
    return {
        "format": "pardnn-inspection/1",
        "graph": subject.name,
        "kind": _kind(raw.source) if raw else "cost graph",
        "text": raw.source.text if raw else True,
        "sha256": subject.sha256,
        "nodes": subject.nodes_read,
        "edges": subject.edges_read,
        "placed": len(subject.names),
        "pruned": dict(Counter(subject.unplaced.values()).most_common()),
        "groups": _groups(subject),
        "loops": subject.loops,
        "host_ops": _by_type(subject, _on_host(subject)),
        "devices_in_file": dict(Counter(n.device for n in raw.nodes if n.device).most_common()) if raw else {},
        "functions": len(raw.functions) if raw else 0,
        "depth": depth(subject),
        "time_us": int(time_ns.sum()) / 1000,
        "resident_bytes": int(work.resident_bytes.sum()),
        "output_bytes": int(work.output_bytes.sum()),
        "op_types": _op_types(subject, time_ns),
        "coverage": subject.coverage,
        "measured_percent": dict(subject.costs.measured_percent),
        "seconds": dict(subject.seconds),
        "warnings": list(subject.notes),
        "outputs": [],
    }


def _kind(source: Source) -> str:
    """The outermost message, and whether that stood in an events file."""
    return f"{source.kind} in an events file" if source.events else source.kind


def export(subject: Subject) -> CostGraph:
    """The cost graph of a subject: judged there, a placement costs what it costs here on like GPUs.

    Ports keep their own sizes, groups become `colocate` (named after their first op), pins `device`; times are those of
    the first GPU, of a pinned op those of its own device.
    """
    problem, names = subject.problem, subject.names
    work, dag = problem.workload, problem.workload.dag
    first = [names[v] for v in problem.group_node[problem.group_ptr[:-1]].tolist()]
    shared = np.diff(problem.group_ptr) > 1
    devices = problem.machine.devices
    return CostGraph(
        names, subject.ops, own_time_ns(subject), work.resident_bytes, work.output_bytes, work.temp_bytes,
        dag.src, dag.dst, work.edge_bytes,
        colocate=tuple(first[g] if shared[g] else None for g in problem.group.tolist()),
        device=tuple(devices[d] if d >= 0 else None for d in problem.pin.tolist()),
    )  # fmt: skip


def own_time_ns(subject: Subject) -> NDArray[np.int64]:
    """[n] time of each op on its pin, else on the first GPU."""
    problem = subject.problem
    return problem.workload.time_ns[np.arange(len(problem.pin)), np.maximum(problem.pin, 0)]


def depth(subject: Subject) -> int:
    """Ops on the longest path."""
    dag = subject.problem.workload.dag
    return int(bottom_levels(dag, np.ones(dag.n, np.int64), np.zeros(dag.m, np.int64)).max(initial=0))


def _groups(subject: Subject) -> dict[str, Any]:
    problem = subject.problem
    sizes = np.diff(problem.group_ptr)
    largest = [g for g in np.argsort(-sizes, kind="stable")[:_LARGEST].tolist() if sizes[g] > 1]
    return {
        "number": int((sizes > 1).sum()),
        "ops": subject.grouped,
        "largest": [
            _group(subject, problem.group_node[problem.group_ptr[g] : problem.group_ptr[g + 1]]) for g in largest
        ],
    }


def _group(subject: Subject, members: NDArray[np.int32]) -> dict[str, Any]:
    mask = np.zeros(len(subject.names), np.bool_)
    mask[members] = True
    return {"first": subject.names[int(members[0])], "ops": len(members), "by_type": _by_type(subject, mask)}


def _by_type(subject: Subject, mask: NDArray[np.bool_]) -> dict[str, int]:
    return dict(Counter(subject.ops[v] for v in np.flatnonzero(mask).tolist()).most_common())


def _on_host(subject: Subject) -> NDArray[np.bool_]:
    devices = subject.problem.machine.devices
    return np.equal(subject.problem.pin, devices.index(HOST) if HOST in devices else -2)


def _op_types(subject: Subject, time_ns: NDArray[np.int64]) -> list[dict[str, Any]]:
    """A row per op type, the most time first."""
    kinds, which = np.unique(np.array(subject.ops), return_inverse=True)
    columns = [np.zeros(len(kinds), np.int64) for _ in range(3)]
    for column, values in zip(
        columns, (np.ones_like(time_ns), time_ns, subject.problem.workload.resident_bytes), strict=True
    ):
        np.add.at(column, which, values)
    number, spent, resident = (column.tolist() for column in columns)
    rows = sorted(range(len(kinds)), key=lambda i: (-spent[i], str(kinds[i])))
    return [
        {"op": str(kinds[i]), "count": number[i], "time_us": spent[i] / 1000, "resident_bytes": resident[i]}
        for i in rows
    ]
