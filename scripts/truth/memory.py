"""Memory of a traced step per device: what its allocation records say, tensors received, and variables.

Records give each op's allocations and when each was freed, in bytes as asked for; what an allocator adds by rounding
and by not splitting its chunks is told apart (`in_use`). Three things they do not have are put in: a tensor received
from the other worker is held from its arrival until its last reader ends; a variable's old value is freed when it is
assigned anew, for the new one is in the records; variables themselves are held throughout.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

_RECEIVED = re.compile(r"\[(?P<size>[\d.]+)(?P<unit>[KMG]?)B\] .*? edge_\d+_(?P<name>\S+) from \S+ to (?P<to>\S+)")
_INPUTS = re.compile(r" = (?P<op>\w+)\((?P<inputs>.*)\)$")
_COPY = re.compile(r"_S\d+$")


@dataclass(frozen=True)
class Held:
    """The most bytes a device holds beside its variables, and the allocator's own count."""

    peak_bytes: int
    in_use_bytes: int
    at: str
    """The op during which it is held."""


def held(metadata: Any, task: int, sizes: dict[str, int]) -> Held:
    """Of one worker; `sizes` are the bytes of what ops send, by op."""
    own = f"task:{task}/"
    stats = [
        (row.device, node)
        for row in metadata.step_stats.dev_stats
        if own in row.device or row.device.startswith("/job:localhost")
        for node in row.node_stats
    ]
    changes: list[tuple[int, int, str]] = []
    kept: list[tuple[str, int]] = []
    readers: dict[str, int] = defaultdict(int)
    in_use = 0
    ends: dict[str, tuple[int, str, list[str]]] = {}
    for _, node in stats:
        found = _INPUTS.search(node.timeline_label)
        if found is None:
            continue
        end = node.all_start_micros + node.op_end_rel_micros
        inputs = [text.strip().removeprefix("^").partition(":")[0] for text in found["inputs"].split(",")]
        ends[node.node_name] = end, found["op"], inputs
        for text in inputs:
            readers[text] = max(readers[text], end)
        for used in node.memory:
            in_use = max(in_use, used.allocator_bytes_in_use)
            balance = 0
            for record in used.allocation_records:
                changes.append((record.alloc_micros, record.alloc_bytes, node.node_name))
                balance += record.alloc_bytes
            if balance > 0:
                kept.append((node.node_name, balance))
    for name, size in kept:
        changes.append((_replaced(name, ends), -size, name))
    for row in metadata.step_stats.dev_stats:
        for node in row.node_stats:
            found = _RECEIVED.search(node.timeline_label)
            if found is None or own not in found["to"]:
                continue
            arrival = node.all_start_micros + node.op_end_rel_micros
            name = found["name"]
            until = max(
                (end for text, end in readers.items() if _COPY.sub("", text) == name and text != name), default=arrival
            )
            size = sizes.get(name, 0) or round(
                float(found["size"]) * {"": 1, "K": 1e3, "M": 1e6, "G": 1e9}[found["unit"]]
            )
            changes += [(arrival, size, f"received {name}"), (max(until, arrival), -size, name)]
    changes.sort(key=lambda change: (change[0], change[1]))
    level = peak = 0
    at = ""
    for _, size, name in changes:
        level += size
        if level > peak:
            peak, at = level, name
    return Held(peak, in_use, at)


def _replaced(name: str, ends: dict[str, tuple[int, str, list[str]]]) -> int:
    """When the value that an op's output takes the place of is freed: when it is assigned, or when the step ends."""
    if name in ends and ends[name][1].startswith("Assign"):
        return ends[name][0]
    assigned = [end for end, op, inputs in ends.values() if op.startswith("Assign") and name in inputs]
    return min(assigned, default=max(end for end, _, _ in ends.values()))
