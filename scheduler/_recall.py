"""Kernels that take up a known schedule at a moment, and find the moment at which a move first matters."""

from scheduler._desk import BEGIN, END, Desk, Rows, World, expect, offer
from scheduler._jit import In32, inner_kernel


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


@inner_kernel
def recall(known: int, row: int, moment: int, w: World, rows: Rows, desk: Desk, place: In32) -> int:
    """Set the desk as it stands right before the moment in the known row; returns how much of its line is kept."""
    n, m, k = len(place), len(w.src), len(desk.left)
    desk.counts[0] = 0
    desk.counts[2] = 0
    for link in range(len(desk.link_free)):
        desk.link_free[link] = 0
    for d in range(k):
        desk.running[d] = -1
        desk.last[d] = -1
        desk.left[d] = 0
        desk.held[d] = 0
        desk.ready_size[d] = 0
    for v in range(n):
        desk.waits[v] = w.in_ptr[v + 1] - w.in_ptr[v]
        desk.readers[v] = 0
    kept = 0
    while moment > 0 and kept < rows.started[known]:
        what = int(rows.line[known * (n + m) + kept])
        tie = (kept << 28) + what
        if what < n:
            if rows.start[known * n + what] >= moment:
                break
            finish = rows.finish[known * n + what]
            desk.waits[what] = -1
            desk.counts[2] += finish
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
    desk.counts[1] = kept
    return kept


@inner_kernel
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


@inner_kernel
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
