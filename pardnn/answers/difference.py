"""Two plans side by side: which ops moved and what that changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pardnn.errors import InputError
from pardnn.graph.devices import Device, parse
from pardnn.pins import planned_name
from pardnn.placers.plan import PlanFile
from pardnn.report.words import count, short

_SCOPES = 20  # rows of the table by scope
_FIGURES = ("makespan_us", "lower_bound_us", "comm_bytes", "batch_size")


def difference(old: PlanFile, new: PlanFile) -> dict[str, Any]:
    """Every difference by name, ready for JSON; devices are compared whichever way they are spelt. O(ops).

    `renamed` are devices of the old plan under the names that the new one seems to give them (most ops in common first,
    one name each); `moved_but_for_names` counts the ops that moved even so.
    """
    before, after = _placement(old), _placement(new)
    both = [op for op in before if op in after]
    moved = {op: (before[op], after[op]) for op in both if before[op] != after[op]}
    names = _renamed(Counter((before[op], after[op]) for op in both))
    return {
        "format": "pardnn-difference/1",
        "same_graph": old.graph_sha256 == new.graph_sha256,
        "ops": len(both),
        "moved": len(moved),
        "renamed": {a: b for a, b in names.items() if a != b},
        "moved_but_for_names": sum(names.get(before[op]) != after[op] for op in both),
        "by_scope": _by_scope(both, moved),
        "moved_ops": {op: list(ends) for op, ends in moved.items()},
        "only_old": [op for op in before if op not in after],
        "only_new": [op for op in after if op not in before],
        "control_edges": _edges(old, new),
        "devices": _devices(old, new, before, after),
        "expected": {name: _change(old.expected.get(name), new.expected.get(name)) for name in _FIGURES},
        "options": _options(old, new),
        "notes": _notes(old, new),
    }


def _placement(plan: PlanFile) -> dict[str, str]:
    """Op -> device, spelt as placements spell it, sorted by op."""
    texts = sorted(set(plan.placement.values()))
    spelt = dict(zip(texts, _spelt(plan, texts), strict=True))
    return {op: spelt[plan.placement[op]] for op in sorted(plan.placement)}


def _spelt(plan: PlanFile, texts: Sequence[str]) -> list[str]:
    """Names of devices as placements spell them, with hosts where the plan is for several."""
    hosts = 1 + max((_parsed(text).task or 0 for text in plan.devices), default=0)
    return [planned_name(_parsed(text), hosts) or text for text in texts]


def _parsed(text: str) -> Device:
    try:
        return parse(text)
    except InputError:  # a device is whatever the plan's list calls one
        return Device()


def _renamed(together: Counter[tuple[str, str]]) -> dict[str, str]:
    """The old devices' names in the new plan, each once; the host keeps its name."""
    names: dict[str, str] = {}
    for (a, b), _ in sorted(together.items(), key=lambda item: (-item[1], item[0])):
        if a not in names and b not in names.values() and ("CPU" in a) == ("CPU" in b):
            names[a] = b
    return names


def _by_scope(ops: list[str], moved: Mapping[str, tuple[str, str]]) -> list[dict[str, Any]]:
    """Moved ops by the deepest name scopes of which there are not too many; scopes of which none moved are left out."""
    depth = 1
    while depth < 8 and len({_scope(op, depth + 1) for op in moved}) <= _SCOPES:
        depth += 1
    sizes = Counter(_scope(op, depth) for op in ops)
    rows: dict[str, Counter[tuple[str, str]]] = {}
    for op, ends in moved.items():
        rows.setdefault(_scope(op, depth), Counter())[ends] += 1
    return [
        {
            "scope": scope,
            "ops": sizes[scope],
            "moved": sum(ways.values()),
            "ways": [{"from": a, "to": b, "ops": number} for (a, b), number in ways.most_common()],
        }
        for scope, ways in sorted(rows.items(), key=lambda row: (-sum(row[1].values()), row[0]))
    ]


def _scope(op: str, depth: int) -> str:
    """The first parts of the op's name, never the op itself: "" is an op outside all scopes.

    >>> _scope("tower/layer_1/MatMul", 1), _scope("tower/layer_1/MatMul", 8), _scope("MatMul", 1)
    ('tower', 'tower/layer_1', '')
    """
    return "/".join(op.split("/")[:-1][:depth])


def _devices(old: PlanFile, new: PlanFile, before: Mapping[str, str], after: Mapping[str, str]) -> list[dict[str, Any]]:
    """A row per device of either plan: its ops and, of a GPU, its peak, before and after."""
    ops = Counter(before.values()), Counter(after.values())
    peaks = _peaks(old), _peaks(new)
    names = dict.fromkeys((*_spelt(old, old.devices), *_spelt(new, new.devices), *sorted(ops[0] | ops[1])))
    return [
        {
            "device": name,
            "ops": [ops[0][name], ops[1][name]],
            "peak_bytes": _change(peaks[0].get(name), peaks[1].get(name)),
        }
        for name in names
    ]


def _edges(old: PlanFile, new: PlanFile) -> dict[str, Any]:
    """How many control edges each plan has, those that only one has, and those of which an op is not in its plan."""
    was, now = dict.fromkeys(old.control_edges), dict.fromkeys(new.control_edges)
    return {
        **_change(len(was), len(now)),
        "only_old": [list(edge) for edge in was if edge not in now],
        "only_new": [list(edge) for edge in now if edge not in was],
        "unmatched": sum(
            not plan.placement.keys() >= {*edge} for plan in (old, new) for edge in dict.fromkeys(plan.control_edges)
        ),
    }


def _peaks(plan: PlanFile) -> dict[str, Any]:
    peaks = plan.expected.get("peak_bytes")
    listed = peaks if isinstance(peaks, list) and len(peaks) == len(plan.devices) else []
    return dict(zip(_spelt(plan, plan.devices), listed, strict=False))


def _change(before: Any, after: Any) -> dict[str, Any]:
    """Old, new, and by how much; None where a plan does not say."""
    figures = [value if isinstance(value, int | float) else None for value in (before, after)]
    change = None if None in figures else figures[1] - figures[0]  # type: ignore[operator]
    return {"old": figures[0], "new": figures[1], "change": change}


def _options(old: PlanFile, new: PlanFile) -> dict[str, list[Any]]:
    """Options and figures of the machine that differ."""
    parts = ((old.options, new.options), (old.machine, new.machine))
    return {
        name: [a.get(name), b.get(name)]
        for a, b in parts
        for name in sorted(a.keys() | b.keys())
        if name != "limit_bytes" and a.get(name) != b.get(name)  # which follows from the memory and its fraction
    }


def _notes(old: PlanFile, new: PlanFile) -> list[str]:
    if old.graph_sha256 == new.graph_sha256:
        return []
    nodes = f"{count(old.graph_nodes, 'node')} and {count(new.graph_nodes, 'node')}"
    return [f"the plans are for different files: {short(old.graph_name)} and {short(new.graph_name)} ({nodes})"]
