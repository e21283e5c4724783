"""Kernels of the event simulation for many placements in a row: each run begins where it first differs from a known one.

A schedule lies in a row of `Rows`, of which there are two: the known one and the one that is being tried. Simulated
is what `_engine` simulates, event by event, with memory watched on the way. A transfer is named by the first of its
edges; `what` is a node (v) or a transfer (n + first edge).
"""

import math
from typing import NamedTuple

from scheduler import _heap
from scheduler._jit import In32, In64, In64x2, Out32, Out64, inner_kernel, kernel, kernel_part

push = _heap.push
pop = _heap.pop

ARRIVAL = 0
BEGIN = 1 << 60
"""Added to the tie of an event: copies take up memory from the begin of their transfer, after arrivals of that moment."""
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
    count: Out64
    """[4] events waiting; things started; the sum of all finishes; things whose start was known."""


@kernel_part
def expect(moment: int, tie: int, desk: Desk) -> None:
    """Put an event on the list."""
    push(desk.event_key, desk.event_tie, 0, desk.count[0], moment, tie)
    desk.count[0] += 1


@kernel_part
def offer(v: int, ready: int, w: World, desk: Desk, place: In32) -> None:
    """Node v has all its inputs since the moment `ready`."""
    d = place[v]
    key = w.by_arrival * ready + w.rank[v]
    push(desk.ready_key, desk.ready_tie, desk.ready_base[d], desk.ready_size[d], key, v)
    desk.ready_size[d] += 1


@kernel_part
def release(v: int, row: int, w: World, rows: Rows, desk: Desk, place: In32) -> None:
    """Memory is given back where node v ends: its scratch, and what it was the last to read."""
    n, m = len(place), len(w.src)
    d = place[v]
    desk.held[d] -= w.temp[v]
    if desk.readers[v] == 0:
        desk.held[d] -= w.output[v]
    for i in range(w.in_ptr[v], w.in_ptr[v + 1]):
        e = w.in_edge[i]
        carrier = rows.carrier[row * m + e]
        if carrier < 0:
            u = w.src[e]
            desk.readers[u] -= 1
            if desk.readers[u] == 0:
                desk.held[d] -= w.output[u]
        else:
            desk.readers[n + carrier] -= 1
            if desk.readers[n + carrier] == 0:
                desk.held[d] -= w.edge_bytes[carrier]


@kernel_part
def book(e: int, here: int, there: int, row: int, now: int, w: World, rows: Rows, desk: Desk) -> None:
    """The transfer named by edge e, asked for now: when it begins and arrives."""
    n, m, k = len(w.rank), len(w.src), len(desk.left)
    pair = here * k + there
    begin = now
    for j in range(w.path_ptr[pair], w.path_ptr[pair + 1]):
        begin = max(begin, desk.link_free[w.path_link[j]])
    arrive = begin + w.latency_ns[pair] + math.ceil(w.edge_bytes[e] / float(w.bytes_per_s[pair]) * 1e9)
    for j in range(w.path_ptr[pair], w.path_ptr[pair + 1]):
        desk.link_free[w.path_link[j]] = arrive
    rows.begin[row * m + e] = begin
    rows.arrive[row * m + e] = arrive
    rows.line[row * (n + m) + desk.count[1]] = n + e
    tie = (desk.count[1] << 28) + n + e
    desk.count[1] += 1
    expect(arrive, tie, desk)
    if w.limited != 0 and begin > now:
        expect(begin, BEGIN + tie, desk)
    elif w.limited != 0:
        desk.held[there] += w.edge_bytes[e]


@kernel_part
def end(v: int, row: int, now: int, w: World, rows: Rows, desk: Desk, place: In32) -> None:
    """Node v ends: its readers on the spot wait no longer for it, the others are sent its tensors."""
    n, m, k = len(place), len(w.src), len(desk.left)
    here = place[v]
    sent = 0
    desk.running[here] = -1
    for i in range(w.out_ptr[v], w.out_ptr[v + 1]):
        e = w.out_edge[i]
        child = w.dst[e]
        there = place[child]
        if there == here:
            rows.carrier[row * m + e] = -1
            desk.readers[v] += 1
            desk.waits[child] -= 1
            if desk.waits[child] == 0:
                rows.ready[row * n + child] = now
                offer(child, now, w, desk, place)
            continue
        slot = w.edge_slot[e] * k + there
        if desk.seen[slot] < 0:
            desk.seen[slot] = e
            desk.readers[v] += 1
            desk.readers[n + e] = 0
            sent += 1
            book(e, here, there, row, now, w, rows, desk)
        carrier = desk.seen[slot]
        rows.carrier[row * m + e] = carrier
        desk.readers[n + carrier] += 1
    if sent > 0:
        for i in range(w.out_ptr[v], w.out_ptr[v + 1]):
            e = w.out_edge[i]
            if place[w.dst[e]] != here:
                desk.seen[w.edge_slot[e] * k + place[w.dst[e]]] = -1
    if w.limited != 0:
        release(v, row, w, rows, desk, place)


@kernel_part
def land(e: int, row: int, now: int, w: World, rows: Rows, desk: Desk, place: In32) -> None:
    """The transfer named by edge e arrives."""
    n, m = len(place), len(w.src)
    u = w.src[e]
    for i in range(w.out_ptr[u], w.out_ptr[u + 1]):
        other = w.out_edge[i]
        if rows.carrier[row * m + other] == e:
            child = w.dst[other]
            desk.waits[child] -= 1
            if desk.waits[child] == 0:
                rows.ready[row * n + child] = now
                offer(child, now, w, desk, place)
    if w.limited != 0:
        desk.readers[u] -= 1
        if desk.readers[u] == 0:
            desk.held[place[u]] -= w.output[u]


@kernel_part
def recall_memory(known: int, moment: int, kept: int, w: World, rows: Rows, desk: Desk, place: In32) -> None:
    """What is held, and by whom it is needed, right before the moment; see `recall`."""
    n, m = len(place), len(w.src)
    for v in range(n):
        desk.held[place[v]] += w.resident[v]
    for i in range(kept):
        what = rows.line[known * (n + m) + i]
        if what >= n:
            continue
        here = place[what]
        desk.readers[what] = 0
        if rows.finish[known * n + what] >= moment:
            desk.held[here] += w.output[what] + w.temp[what]
            continue
        for j in range(w.out_ptr[what], w.out_ptr[what + 1]):
            e = w.out_edge[j]
            child = w.dst[e]
            carrier = rows.carrier[known * m + e]
            done = desk.waits[child] == -1 and rows.finish[known * n + child] < moment
            if carrier == e:
                desk.readers[n + e] = 0
                if rows.arrive[known * m + e] >= moment:
                    desk.readers[what] += 1
            if not done:
                desk.readers[what if carrier < 0 else n + carrier] += 1
                if carrier >= 0 and desk.readers[n + carrier] == 1 and rows.begin[known * m + carrier] < moment:
                    desk.held[place[child]] += w.edge_bytes[carrier]
        if desk.readers[what] > 0:
            desk.held[here] += w.output[what]


@kernel_part
def recall(known: int, row: int, moment: int, w: World, rows: Rows, desk: Desk, place: In32) -> int:
    """Set the desk as it stands right before the moment in the known row; returns how much of its line is kept."""
    n, m, k = len(place), len(w.src), len(desk.left)
    desk.count[0] = 0
    desk.count[2] = 0
    desk.link_free[:] = 0
    desk.running[:] = -1
    desk.last[:] = -1
    desk.left[:] = 0
    desk.held[:] = 0
    desk.ready_size[:] = 0
    for v in range(n):
        desk.waits[v] = w.in_ptr[v + 1] - w.in_ptr[v]
        desk.readers[v] = 0
    kept = 0
    while moment > 0 and kept < rows.started[known]:
        what = rows.line[known * (n + m) + kept]
        tie = (kept << 28) + what
        if what < n:
            if rows.start[known * n + what] >= moment:
                break
            finish = rows.finish[known * n + what]
            desk.waits[what] = -1
            desk.count[2] += finish
            desk.last[place[what]] = what
            if finish >= moment:
                desk.running[place[what]] = what
                expect(finish, END + tie, desk)
            else:
                for i in range(w.out_ptr[what], w.out_ptr[what + 1]):
                    e = w.out_edge[i]
                    carrier = rows.carrier[known * m + e]
                    rows.carrier[row * m + e] = carrier
                    if carrier < 0 or rows.arrive[known * m + carrier] < moment:
                        desk.waits[w.dst[e]] -= 1
        else:
            e = what - n
            u = w.src[e]
            if rows.finish[known * n + u] >= moment:
                break
            arrive = rows.arrive[known * m + e]
            pair = place[u] * k + place[w.dst[e]]
            for j in range(w.path_ptr[pair], w.path_ptr[pair + 1]):
                desk.link_free[w.path_link[j]] = max(desk.link_free[w.path_link[j]], arrive)
            if arrive >= moment:
                expect(arrive, tie, desk)
                if w.limited != 0 and rows.begin[known * m + e] >= moment:
                    expect(rows.begin[known * m + e], BEGIN + tie, desk)
        kept += 1
    desk.count[1] = kept
    return kept


@kernel_part
def line_up(known: int, row: int, w: World, rows: Rows, desk: Desk, place: In32) -> None:
    """Behind `recall`: the nodes that are ready, and the work that is left."""
    n, k = len(place), len(desk.left)
    for v in range(n):
        if desk.waits[v] >= 0:
            desk.ready_size[place[v]] += 1
            desk.left[place[v]] += w.time_ns[v, place[v]]
    base = 0
    for d in range(k):
        desk.ready_base[d] = base
        base += desk.ready_size[d]
        desk.ready_size[d] = 0
    for v in range(n):
        if desk.waits[v] == 0:
            ready = rows.ready[known * n + v]
            rows.ready[row * n + v] = ready
            offer(v, ready, w, desk, place)


@kernel_part
def dispatch(d: int, row: int, now: int, w: World, rows: Rows, desk: Desk, place: In32) -> int:
    """Device d takes its next node; returns before when the step cannot end."""
    n, m = len(place), len(w.src)
    base = desk.ready_base[d]
    v = desk.ready_tie[base]
    pop(desk.ready_key, desk.ready_tie, base, desk.ready_size[d])
    desk.ready_size[d] -= 1
    finish = now + w.time_ns[v, d]
    rows.start[row * n + v] = now
    rows.finish[row * n + v] = finish
    rows.before[row * n + v] = desk.last[d]
    rows.line[row * (n + m) + desk.count[1]] = v
    soonest = now + max(w.tail_ns[v], desk.left[d])
    desk.last[d] = v
    desk.running[d] = v
    desk.left[d] -= w.time_ns[v, d]
    desk.readers[v] = 0
    desk.held[d] += w.output[v] + w.temp[v]
    tie = (desk.count[1] << 28) + v
    desk.count[1] += 1
    desk.count[2] += finish
    expect(finish, END + tie, desk)
    return int(soonest)


@inner_kernel
def resume(known: int, row: int, moment: int, bound: int, w: World, rows: Rows, desk: Desk, place: In32) -> int:
    """Simulate from the moment on, before which the known row holds; the makespan, or -1 where that is over the bound.

    -1 also where a device comes to hold more than its limit. The row is complete with what `adopt` brings over.
    """
    n, k = len(place), len(desk.left)
    desk.count[3] = recall(known, row, moment, w, rows, desk, place)
    line_up(known, row, w, rows, desk, place)
    if w.limited != 0:
        recall_memory(known, moment, desk.count[1], w, rows, desk, place)
    now = moment
    while True:
        for d in range(k):
            if desk.running[d] < 0 and desk.ready_size[d] > 0:
                if dispatch(d, row, now, w, rows, desk, place) > bound:
                    return -1
        if w.limited != 0:
            soon = desk.count[0] == 0 or desk.event_key[0] > now
            for d in range(k):
                if soon and desk.held[d] > w.limit[d]:
                    return -1
        if desk.count[0] == 0:
            rows.started[row] = desk.count[1]
            return int(now)
        now = desk.event_key[0]
        while desk.count[0] > 0 and desk.event_key[0] == now:
            tie = desk.event_tie[0]
            what = tie & WHAT
            pop(desk.event_key, desk.event_tie, 0, desk.count[0])
            desk.count[0] -= 1
            if tie >= END:
                end(what, row, now, w, rows, desk, place)
            elif tie >= BEGIN:
                desk.held[place[w.dst[what - n]]] += w.edge_bytes[what - n]
            else:
                land(what - n, row, now, w, rows, desk, place)


@inner_kernel
def adopt(known: int, row: int, moment: int, w: World, rows: Rows) -> None:
    """Bring over to the row what the known row holds before the moment from which it was resumed."""
    n, m = len(w.rank), len(w.src)
    for i in range(rows.started[known]):
        what = rows.line[known * (n + m) + i]
        if what < n:
            if rows.start[known * n + what] >= moment:
                break
            rows.start[row * n + what] = rows.start[known * n + what]
            rows.finish[row * n + what] = rows.finish[known * n + what]
            rows.ready[row * n + what] = rows.ready[known * n + what]
            rows.before[row * n + what] = rows.before[known * n + what]
        else:
            e = what - n
            if rows.finish[known * n + w.src[e]] >= moment:
                break
            rows.begin[row * m + e] = rows.begin[known * m + e]
            rows.arrive[row * m + e] = rows.arrive[known * m + e]
        rows.line[row * (n + m) + i] = what


@inner_kernel
def first_difference(v: int, to: int, known: int, w: World, rows: Rows, place: In32) -> int:
    """The earliest moment at which it may matter in the known row that node v is on device `to` instead of its own."""
    n, m = len(place), len(w.src)
    if w.limited != 0 and w.resident[v] > 0:
        return 0
    moment = rows.start[known * n + v]
    for i in range(w.in_ptr[v], w.in_ptr[v + 1]):
        moment = min(moment, rows.finish[known * n + w.src[w.in_edge[i]]])
    if w.in_ptr[v + 1] > w.in_ptr[v] or moment == 0:
        return int(moment)
    free = 0  # ready from the start: it matters when the device is idle, or takes a node that comes behind v
    for i in range(rows.started[known]):
        what = rows.line[known * (n + m) + i]
        if what >= n:
            continue
        start = rows.start[known * n + what]
        if start >= moment or free >= moment:
            break
        if place[what] == to:
            key = w.by_arrival * rows.ready[known * n + what] + w.rank[what]
            if start > free or key > w.rank[v] or (key == w.rank[v] and what > v):
                return int(min(free if start > free else start, moment))
            free = rows.finish[known * n + what]
    return int(min(free, moment))


@kernel
def replay(known: int, row: int, moment: int, bound: int, w: World, rows: Rows, desk: Desk, place: In32) -> int:
    """`resume`, then `adopt` where it came to an end."""
    makespan = resume(known, row, moment, bound, w, rows, desk, place)
    if makespan >= 0:
        adopt(known, row, moment, w, rows)
    return makespan


@kernel
def earliest_difference(nodes: In32, to: int, known: int, w: World, rows: Rows, place: In32) -> int:
    """`first_difference` of any of these nodes; -1 if all are there already."""
    moment = -1
    for i in range(len(nodes)):
        if place[nodes[i]] != to:
            when = first_difference(nodes[i], to, known, w, rows, place)
            moment = when if moment < 0 else min(moment, when)
    return moment
