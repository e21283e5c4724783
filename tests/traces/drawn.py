"""Small traces: events, and RunMetadata messages with the very fields TensorFlow writes."""

from typing import Any

from pardnn.traces.run_metadata import _classes
from pardnn.traces.trace import Event, Trace

CPU, GPU = "/job:localhost/replica:0/task:0/device:CPU:0", "/job:localhost/replica:0/task:0/device:GPU:0"


def event(name: str, ns: int, start: int = 0, track: str = CPU, op: str = "", output: int | None = None) -> Event:
    return Event(track, name, op, start, ns, output, None)


def trace(*events: Event) -> Trace:
    return Trace("drawn", events)


def metadata(*rows: tuple[str, list[dict[str, Any]]]) -> bytes:
    """A serialized RunMetadata of rows of (device, the fields of each entry)."""
    message = _classes()["RunMetadata"]()
    for device, entries in rows:
        row = message.step_stats.dev_stats.add(device=device)
        for entry in entries:
            row.node_stats.add(**entry)
    data: bytes = message.SerializeToString()
    return data
