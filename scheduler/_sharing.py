"""Kernel of the event simulation on processors that share: threads by turns on a core, and transfers that are work."""

from scheduler import _heap
from scheduler._jit import In32, In64, Out32, Out64, inner_kernel, kernel

push = _heap.push
pop = _heap.pop

SEND, WRITE, READ, DELIVER = 0, 1, 2, 3
"""What is done for a transfer: by the thread that made the tensor; of a large one the rest, at both ends at once; at
last it is handed to its readers."""


@inner_kernel
def put(queue: int, v: int, front: int, head: Out32, tail: Out32, after: Out32, before: Out32) -> None:
    """Add a node to a queue, at its front or at its back."""
    if head[queue] < 0:
        after[v] = before[v] = -1
        head[queue] = tail[queue] = v
    elif front:
        after[v], before[v] = head[queue], -1
        before[head[queue]] = v
        head[queue] = v
    else:
        after[v], before[v] = -1, tail[queue]
        after[tail[queue]] = v
        tail[queue] = v


@inner_kernel
def take(queue: int, front: int, head: Out32, tail: Out32, after: Out32, before: Out32) -> int:
    """The node at a queue's front or back, removed from it; -1 if there is none."""
    v = head[queue] if front else tail[queue]
    if v < 0:
        return -1
    if after[v] >= 0:
        before[after[v]] = before[v]
    else:
        tail[queue] = before[v]
    if before[v] >= 0:
        after[before[v]] = after[v]
    else:
        head[queue] = after[v]
    return int(v)


@inner_kernel
def next_node(device: int, slots: int, own: int, head: Out32, tail: Out32, after: Out32, before: Out32) -> int:
    """What a thread without work does next: its newest, else the oldest of another; -1 = nothing."""
    v = take(device * slots + own, 1, head, tail, after, before)
    for i in range(1, slots):
        if v < 0:
            v = take(device * slots + (own + i) % slots, 0, head, tail, after, before)
    return int(v)


@inner_kernel
def made_ready(what: int, first_edge: In32, next_edge: In32, dst: In32, waits: Out64, freed: Out32) -> int:
    """How many nodes waited for nothing but this node or arrival; `freed` has them, those of the last edges first."""
    count = 0
    e = first_edge[what]
    while e >= 0:
        child = dst[e]
        waits[child] -= 1
        if waits[child] == 0:
            freed[count] = child
            count += 1
        e = next_edge[e]
    return count


@inner_kernel
def queue_roots(
    slots: int, waits: Out64, placement: In32, turn: Out64, head: Out32, tail: Out32, after: Out32, before: Out32
) -> None:  # fmt: skip
    """Queue what waits for nothing, at each core's threads by turns."""
    for v in range(len(placement)):
        if waits[v] == 0:
            d = placement[v]
            put(d * slots + turn[d] % slots, v, 0, head, tail, after, before)
            turn[d] += 1


@inner_kernel
def line_up(thread: int, first: int, width: int, line: Out32, waiting: Out64, idle: Out32) -> None:
    """Let an idle thread wait for its core, before all others or behind them."""
    if not idle[thread]:
        return
    idle[thread] = 0
    core = thread // width
    begin, end = core * width, core * width + waiting[core]
    if first:
        for i in range(end, begin, -1):
            line[i] = line[i - 1]
        line[begin] = thread
    else:
        line[end] = thread
    waiting[core] += 1


@inner_kernel
def wake(core: int, slots: int, running: int, line: Out32, waiting: Out64, idle: Out32) -> None:
    """Let the threads for nodes look for some, but for the one that is running."""
    for thread in range(core * (slots + 2), core * (slots + 2) + slots):
        if thread != running:
            line_up(thread, 0, slots + 2, line, waiting, idle)


@inner_kernel
def depart(now: int, takes_ns: int, pair: int, path_ptr: In64, path_link: In32, link_free: Out64) -> int:
    """When a transfer has all the links of its path, which it then holds for so long."""
    start = now
    for i in range(path_ptr[pair], path_ptr[pair + 1]):
        start = max(start, link_free[path_link[i]])
    for i in range(path_ptr[pair], path_ptr[pair + 1]):
        link_free[path_link[i]] = start + takes_ns
    return start


@inner_kernel
def give(job: int, thread: int, width: int, job_first: Out32, job_last: Out32, job_next: Out32,
         line: Out32, waiting: Out64, idle: Out32) -> None:  # fmt: skip
    """Give a job of a transfer to one of the threads that do such, behind what it has; it wakes up."""
    job_next[job] = -1
    if job_first[thread] < 0:
        job_first[thread] = job
    else:
        job_next[job_last[thread]] = job
    job_last[thread] = job
    line_up(thread, 1, width, line, waiting, idle)


@inner_kernel
def find_work(
    thread: int, slots: int, now: int, n: int, node_ns: In64, job_ns: In64,
    item: Out32, left: Out64, kept: Out32, start: Out64, head: Out32, tail: Out32, after: Out32, before: Out32,
    job_first: Out32, job_next: Out32,
) -> int:  # fmt: skip
    """Whether a thread has something to do; item is then the node, or n + the job."""
    if item[thread] >= 0:
        return 1
    core = thread // (slots + 2)
    own = thread - core * (slots + 2)
    if own < slots:
        v = kept[thread]
        kept[thread] = -1
        if v < 0:
            v = next_node(core, slots, own, head, tail, after, before)
        if v < 0:
            return 0
        item[thread], left[thread], start[v] = v, node_ns[v], now
        return 1
    job = job_first[thread]
    if job < 0:
        return 0
    job_first[thread] = job_next[job]
    item[thread], left[thread] = n + job, job_ns[job]
    return 1


@inner_kernel
def pick(
    d: int, slots: int, now: int, n: int, node_ns: In64, job_ns: In64,
    item: Out32, left: Out64, kept: Out32, start: Out64, head: Out32, tail: Out32, after: Out32, before: Out32,
    job_first: Out32, job_next: Out32,
    running: Out32, since: Out64, until: Out64, line: Out32, waiting: Out64, idle: Out32,
) -> None:  # fmt: skip
    """Let a core without one run the first thread in its line that has something to do."""
    begin = d * (slots + 2)
    while running[d] < 0 and waiting[d] > 0:
        thread = line[begin]
        waiting[d] -= 1
        for i in range(begin, begin + waiting[d]):
            line[i] = line[i + 1]
        if find_work(thread, slots, now, n, node_ns, job_ns, item, left, kept, start,
                     head, tail, after, before, job_first, job_next):  # fmt: skip
            running[d], since[d], until[d] = thread, now, now + left[thread]
        else:
            idle[thread] = 1


@kernel
def run(
    k: int, slots: int, slice_ns: int,
    waits: Out64, placement: In32, node_ns: In64, dst: In32,
    first_edge: In32, next_edge: In32, transfer_ptr: In64, transfer_device: In32, transfer_ns: In64,
    transfer_src: In32, job_ns: In64, path_ptr: In64, path_link: In32, link_free: Out64,
    running: Out32, since: Out64, until: Out64, line: Out32, waiting: Out64, turn: Out64,
    item: Out32, left: Out64, kept: Out32, idle: Out32,
    job_first: Out32, job_last: Out32, job_next: Out32, parts: Out32,
    event_key: Out64, event_tie: Out64, head: Out32, tail: Out32, after: Out32, before: Out32, freed: Out32,
    start: Out64, finish: Out64, transfer_start: Out64, transfer_finish: Out64,
) -> int:  # fmt: skip
    """Simulate one step; fills start and finish of nodes and transfers; returns how many nodes ran.

    Core d has the threads d * (slots + 2) to (d + 1) * (slots + 2): those for nodes, one that writes and reads, one
    that delivers. Of each: what it is at (item, -1 = nothing; left, what that still needs), the node it has kept for
    itself, whether it is idle. Of each core: the thread that is running (-1 = none), since when, until when if it is
    let, and the line of those that wait. Job 4 t + SEND .. 4 t + DELIVER is of transfer t, parts how many of reading
    and writing are to be done. An event is the moment from which a transfer can be read.
    """
    n, width, never = len(placement), slots + 2, 1 << 62
    events = done = now = 0
    queue_roots(slots, waits, placement, turn, head, tail, after, before)
    for d in range(k):
        wake(d, slots, -1, line, waiting, idle)
    while True:
        for d in range(k):
            pick(d, slots, now, n, node_ns, job_ns, item, left, kept, start, head, tail, after, before,
                 job_first, job_next, running, since, until, line, waiting, idle)  # fmt: skip
        # what happens next: something can be read, or a core is done with something, or its thread's time is over
        then, d = event_key[0] if events > 0 else never, -1
        for core in range(k):
            if running[core] >= 0:
                end = until[core] if waiting[core] == 0 else min(until[core], max(since[core] + slice_ns, now))
                if end < then:
                    then, d = end, core
        if d < 0 and events == 0:
            return done
        now = then
        if d < 0:
            t, events = event_tie[0], events - 1
            pop(event_key, event_tie, 0, events + 1)
            give(4 * t + READ, transfer_device[t] * width + slots, width, job_first, job_last, job_next,
                 line, waiting, idle)  # fmt: skip
            continue
        thread = running[d]
        if until[d] > now:
            left[thread], idle[thread], running[d] = until[d] - now, 1, -1
            line_up(thread, 0, width, line, waiting, idle)
            continue
        v = item[thread]
        item[thread] = -1
        ready = 0
        if v < n:
            finish[v] = now
            done += 1
            ready = made_ready(v, first_edge, next_edge, dst, waits, freed) - 1
            for i in range(ready, 0, -1):
                put(d * slots + thread - d * width, freed[i], 1, head, tail, after, before)
            if ready >= 0:
                kept[thread] = freed[0]
            if transfer_ptr[v] < transfer_ptr[v + 1]:
                item[thread] = n + 4 * transfer_ptr[v] + SEND
        else:
            t, what = (v - n) // 4, (v - n) % 4
            if what == SEND:
                pair = d * k + transfer_device[t]
                transfer_start[t] = depart(now, transfer_ns[t], pair, path_ptr, path_link, link_free)
                push(event_key, event_tie, 0, events, transfer_start[t] + transfer_ns[t], t)
                events += 1
                if job_ns[4 * t + WRITE] > 0:
                    parts[t] += 1
                    give(4 * t + WRITE, d * width + slots, width, job_first, job_last, job_next, line, waiting, idle)
                if t + 1 < transfer_ptr[transfer_src[t] + 1]:
                    item[thread] = n + 4 * (t + 1) + SEND
            elif what == DELIVER:
                transfer_finish[t] = now
                ready = made_ready(n + t, first_edge, next_edge, dst, waits, freed)
                for i in range(ready):
                    put(d * slots + (turn[d] + i) % slots, freed[i], 0, head, tail, after, before)
                turn[d] += ready
            else:
                parts[t] -= 1
                if parts[t] == 0:
                    give(4 * t + DELIVER, transfer_device[t] * width + slots + 1, width, job_first, job_last, job_next,
                         line, waiting, idle)  # fmt: skip
        if item[thread] >= 0:
            left[thread] = job_ns[item[thread] - n]
            until[d] = now + left[thread]
        elif find_work(thread, slots, now, n, node_ns, job_ns, item, left, kept, start,
                       head, tail, after, before, job_first, job_next):  # fmt: skip
            until[d] = now + left[thread]
        else:
            idle[thread], running[d] = 1, -1
        if ready > 0:
            wake(d, slots, running[d], line, waiting, idle)
