"""Kernels of the event simulation for many placements in a row, each run from where it differs from a known one.

Simulated is what `_engine` simulates, event by event, with memory watched on the way. What a placement makes of the
workload is not worked out beforehand: transfers are found as their producers end.
"""

import math

from scheduler import _heap
from scheduler._desk import BEGIN, END, UNBOUNDED, WHAT, Desk, Rows, World, expect, offer
from scheduler._jit import In32, Out32, inner_kernel, kernel, kernel_part
from scheduler._recall import adopt, first_difference, line_up, recall, recall_memory

pop = _heap.pop


@inner_kernel
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


@inner_kernel
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
    rows.line[row * (n + m) + desk.counts[1]] = n + e
    tie = (desk.counts[1] << 28) + n + e
    desk.counts[1] += 1
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


@inner_kernel
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
    rows.line[row * (n + m) + desk.counts[1]] = v
    soonest = now + max(w.tail_ns[v], desk.left[d])
    desk.last[d] = v
    desk.running[d] = v
    desk.left[d] -= w.time_ns[v, d]
    desk.readers[v] = 0
    desk.held[d] += w.output[v] + w.temp[v]
    tie = (desk.counts[1] << 28) + v
    desk.counts[1] += 1
    desk.counts[2] += finish
    expect(finish, END + tie, desk)
    return int(soonest)


@inner_kernel
def resume(known: int, row: int, moment: int, bound: int, w: World, rows: Rows, desk: Desk, place: In32) -> int:
    """Simulate from the moment on, before which the known row holds; the makespan, or -1 where that is over the bound.

    -1 also where a device comes to hold more than its limit. The row is complete with what `adopt` brings over.
    """
    n, k = len(place), len(desk.left)
    desk.counts[3] = recall(known, row, moment, w, rows, desk, place)
    line_up(known, row, w, rows, desk, place)
    if w.limited != 0:
        recall_memory(known, moment, desk.counts[1], w, rows, desk, place)
    now = moment
    while True:
        for d in range(k):
            idle = desk.running[d] < 0 and desk.ready_size[d] > 0
            if idle and dispatch(d, row, now, w, rows, desk, place) > bound:
                return -1
        if w.limited != 0:
            soon = desk.counts[0] == 0 or desk.event_key[0] > now
            for d in range(k):
                if soon and desk.held[d] > w.limit[d]:
                    return -1
        if desk.counts[0] == 0:
            rows.started[row] = desk.counts[1]
            return int(now)
        now = desk.event_key[0]
        while desk.counts[0] > 0 and desk.event_key[0] == now:
            tie = desk.event_tie[0]
            what = tie & WHAT
            pop(desk.event_key, desk.event_tie, 0, desk.counts[0])
            desk.counts[0] -= 1
            if tie >= END:
                end(what, row, now, w, rows, desk, place)
            elif tie >= BEGIN:
                desk.held[place[w.dst[what - n]]] += w.edge_bytes[what - n]
            else:
                land(what - n, row, now, w, rows, desk, place)


@kernel
def replay(nodes: In32, to: int, known: int, bound: int, w: World, rows: Rows, desk: Desk, place: Out32) -> int:
    """Take the nodes to a device, simulate, and fill the other row; the makespan, or -1.

    The known row is -1 where nothing is simulated yet.
    """
    row = 1 - max(known, 0)
    moment = 0 if known < 0 else UNBOUNDED
    for i in range(len(nodes)):
        if place[nodes[i]] != to and known >= 0:
            moment = min(moment, first_difference(nodes[i], to, known, w, rows, place))
    for i in range(len(nodes)):
        place[nodes[i]] = to
    makespan = resume(max(known, 0), row, moment, bound, w, rows, desk, place)
    if makespan >= 0:
        adopt(max(known, 0), row, moment, w, rows)
    return int(makespan)
