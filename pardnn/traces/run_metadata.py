"""A trace from TensorFlow's RunMetadata: what a session's step under FULL_TRACE leaves.

    RunMetadata > StepStats > a row per device or stream > NodeExecStats

Times are in nanoseconds from TensorFlow 1.8 on, before in microseconds.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Any

from google.protobuf.message import DecodeError

from pardnn.encoding.messages import Messages
from pardnn.errors import InputError
from pardnn.traces.trace import Event, Trace

_MESSAGES = {
    "RunMetadata": "1 step_stats StepStats",
    "StepStats": "1 dev_stats DeviceStepStats*",
    "DeviceStepStats": "1 device string, 2 node_stats NodeExecStats*",
    "NodeExecStats": (
        "1 node_name string, 2 all_start_micros int64, 3 op_start_rel_micros int64, 4 op_end_rel_micros int64,"
        "6 memory AllocatorMemoryUsed*, 7 output NodeOutput*, 8 timeline_label string, 12 memory_stats MemoryStats,"
        "13 all_start_nanos int64, 14 op_start_rel_nanos int64, 15 op_end_rel_nanos int64"
    ),
    "AllocatorMemoryUsed": "3 peak_bytes int64",
    "NodeOutput": "3 tensor_description TensorDescription",
    "TensorDescription": "4 allocation_description AllocationDescription",
    "AllocationDescription": "1 requested_bytes int64",
    "MemoryStats": "1 temp_memory_size int64",
}

_LABEL = re.compile(r"(?:\[[^\]]*\] )?(?P<name>\S+) = (?P<op>[A-Za-z_]\w*)\(")
"""What TensorFlow writes of an op: "[cpu 0.2MB 0.2MB] name = Type(inputs)"."""
_KERNEL = re.compile(r"(?P<name>[^\s:]+):(?P<op>[A-Za-z_]\w*)(?=[\s:@#]|$)")
"""What it writes of a kernel: "name:Type details"."""
_LARGEST = 2**50
STREAM = re.compile(r"/(stream:|memcpy)", re.IGNORECASE)
"""Rows of a GPU's own work; the others say when ops were started on the host."""


def read_run_metadata(data: bytes, path: str) -> Trace:
    """The step in a serialized RunMetadata; events without a duration that can be are dropped and counted.

    Raises InputError where there is none, or where nothing is left of it.
    """
    try:
        message = _classes()["RunMetadata"].FromString(data)
    except DecodeError:
        raise InputError(f"{path}: not a table of costs (CSV or JSON), nor a RunMetadata; or damaged") from None
    return trace_of(message, path)


def trace_of(message: Any, path: str) -> Trace:
    """As `read_run_metadata`, of a message that is taken apart already, ours or TensorFlow's."""
    events: list[Event] = []
    dropped: Counter[str] = Counter()
    for row in message.step_stats.dev_stats:
        for stats in row.node_stats:
            event = _event(row.device, stats)
            if event.duration_ns < 0:
                dropped["of negative duration"] += 1
            else:
                events.append(event)
    if not events:
        what = f"its {dropped.total()} entries have negative durations" if dropped else "it has no step statistics"
        raise InputError(
            f"{path}: {what}: run a step with FULL_TRACE in a tf.compat.v1.Session (eager TensorFlow leaves them out)"
        )
    return Trace(path, tuple(events), dict(dropped))


@cache
def _classes() -> Messages:
    return Messages(_MESSAGES)


def _event(track: str, stats: Any) -> Event:
    start, end = stats.op_start_rel_nanos, stats.op_end_rel_nanos
    if not (start or end):
        start, end = 1000 * stats.op_start_rel_micros, 1000 * stats.op_end_rel_micros
    begun = stats.all_start_nanos or 1000 * stats.all_start_micros
    if STREAM.search(track):
        said = _KERNEL.match(stats.timeline_label) or _KERNEL.match(stats.node_name)
        copies = stats.node_name if stats.node_name.upper().startswith("MEM") else ""
        name = said["name"] if said else stats.node_name
        return Event(track, name, copies or (said["op"] if said else ""), begun + start, end - start)
    told = _LABEL.match(stats.timeline_label)
    sizes = [out.tensor_description.allocation_description.requested_bytes for out in stats.output]
    return Event(
        track, stats.node_name, told["op"] if told else "", begun + start, end - start, sum(sizes), _temp(stats)
    )


def _temp(stats: Any) -> int:
    """The most scratch at a time; TensorFlow sums up what was taken one after the other."""
    taken = int(stats.memory_stats.temp_memory_size)
    return min(taken, sum(used.peak_bytes for used in stats.memory)) if stats.memory else taken
