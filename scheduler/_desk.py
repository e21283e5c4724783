"""What the kernels of replays read and write, and the two steps they share.

A schedule lies in a row of `Rows`, of which there are two: the known one and the one that is being tried. A transfer is
named by the first of its edges; `what` is a node (v) or a transfer (n + first edge).
"""

from typing import NamedTuple

from scheduler import _heap
from scheduler._jit import In32, In64, In64x2, Out32, Out64, kernel_part

push = _heap.push

UNBOUNDED = 1 << 61
BEGIN = 1 << 60
"""Added to the tie of an event: copies take up memory from the begin of their transfer, behind arrivals."""
END = 1 << 61
"""Added to the tie of a node's end: after all arrivals of the same moment."""
WHAT = (1 << 28) - 1
"""A tie is the number in the sequence of starts, times 2**28, plus what started."""


class World(NamedTuple):
    """What is simulated: n nodes, m edges, k devices; frozen."""

    by_arrival: int
    rank: In64
    time_ns: In64x2
    out_ptr: In64
    out_edge: In32
    in_ptr: In64
    in_edge: In32
    src: In32
    dst: In32
    edge_slot: In32
    edge_bytes: In64
    latency_ns: In64
    bytes_per_s: In64
    path_ptr: In64
    path_link: In32
    tail_ns: In64
    """[n] at least so long from a node's start to the end of the step."""
    limited: int
    limit: In64
    """[k] bytes"""
    resident: In64
    output: In64
    temp: In64


class Rows(NamedTuple):
    """Two schedules: row r of [n] is [r * n : (r + 1) * n], of [m] likewise."""

    start: Out64
    finish: Out64
    ready: Out64
    """[2 n] when the last input arrived."""
    before: Out32
    """[2 n] the node that ran before on the same device, -1 = none."""
    carrier: Out32
    """[2 m] the first edge of the transfer that serves an edge, -1 = both ends on one device."""
    begin: Out64
    """[2 m] of a transfer, at its first edge; `arrive` likewise."""
    arrive: Out64
    line: Out32
    """[2 (n + m)] what started, in sequence; of each row so many as `started` [2] says."""
    started: Out64


class Desk(NamedTuple):
    """What a run needs on the way."""

    waits: Out64
    """[n] inputs missing, -1 = started."""
    ready_key: Out64
    ready_tie: Out64
    ready_base: Out64
    ready_size: Out64
    event_key: Out64
    event_tie: Out64
    link_free: Out64
    running: Out32
    """[k] node, -1 = idle."""
    last: Out32
    """[k] the node that was started last, -1 = none."""
    left: Out64
    """[k] time of the nodes not started."""
    seen: Out32
    """[slots * k] -1 between the ends of nodes."""
    held: Out64
    """[k] bytes"""
    readers: Out64
    """[n + m] readers on the spot and transfers that still need a node's output; readers that need a copy."""
    counts: Out64
    """[4] events waiting; things started; the sum of all finishes; things whose start was known."""


@kernel_part
def expect(moment: int, tie: int, desk: Desk) -> None:
    """Put an event on the list."""
    push(desk.event_key, desk.event_tie, 0, desk.counts[0], moment, tie)
    desk.counts[0] += 1


@kernel_part
def offer(v: int, ready: int, w: World, desk: Desk, place: In32) -> None:
    """Node v has all its inputs since the moment `ready`."""
    d = place[v]
    key = w.by_arrival * ready + w.rank[v]
    push(desk.ready_key, desk.ready_tie, desk.ready_base[d], desk.ready_size[d], key, v)
    desk.ready_size[d] += 1
