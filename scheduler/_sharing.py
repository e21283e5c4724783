"""Kernel of the event simulation on processors that share: several threads, and transfers that take time off."""

from scheduler import _heap
from scheduler._jit import In32, In64, Out32, Out64, inner_kernel, kernel

push = _heap.push
pop = _heap.pop


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
def next_node(
    device: int, slots: int, thread: int, head: Out32, tail: Out32, after: Out32, before: Out32
) -> int:  # fmt: skip
    """What a thread without work does next: what it has at hand, its newest, the oldest of another; -1 = nothing."""
    v = take(2 * thread, 1, head, tail, after, before)
    if v < 0:
        v = take(2 * thread + 1, 1, head, tail, after, before)
    for i in range(1, slots):
        if v < 0:
            other = device * slots + (thread - device * slots + i) % slots
            v = take(2 * other + 1, 0, head, tail, after, before)
    return int(v)


@inner_kernel
def hand_out(
    v: int, thread: int, cheap_ns: int, first_edge: In32, next_edge: In32, dst: In32, waits: Out64,
    node_ns: In64, freed: Out32, head: Out32, tail: Out32, after: Out32, before: Out32,
) -> None:  # fmt: skip
    """What v made ready: its thread does the cheap ones itself, in turn, and the last other if it has none at hand."""
    count = 0
    e = first_edge[v]
    while e >= 0:
        child = dst[e]
        waits[child] -= 1
        if waits[child] == 0:
            freed[count] = child
            count += 1
        e = next_edge[e]
    held = -1
    for i in range(count - 1, -1, -1):  # edges are chained last first
        child = freed[i]
        if node_ns[child] <= cheap_ns:
            put(2 * thread, child, 0, head, tail, after, before)
        else:
            if held >= 0:
                put(2 * thread + 1, held, 1, head, tail, after, before)
            held = child
    if held >= 0:
        if head[2 * thread] < 0:
            put(2 * thread, held, 0, head, tail, after, before)
        else:
            put(2 * thread + 1, held, 1, head, tail, after, before)


@inner_kernel
def arrive(
    what: int, device: int, slots: int, first_edge: In32, next_edge: In32, dst: In32, waits: Out64, turn: Out64,
    head: Out32, tail: Out32, after: Out32, before: Out32,
) -> None:  # fmt: skip
    """What an arrival made ready goes to the backs of the threads' queues by turns."""
    e = first_edge[what]
    while e >= 0:
        child = dst[e]
        waits[child] -= 1
        if waits[child] == 0:
            put(2 * (device * slots + turn[device] % slots) + 1, child, 0, head, tail, after, before)
            turn[device] += 1
        e = next_edge[e]


@kernel
def run(
    k: int, slots: int, parts: int, cheap_ns: int, flight_ns: int,
    waits: Out64, placement: In32, node_ns: In64, dst: In32,
    first_edge: In32, next_edge: In32, transfer_ptr: In64, transfer_device: In32, transfer_ns: In64,
    transfer_src: In32, send_ns: In64, receive_ns: In64, path_ptr: In64, path_link: In32, link_free: Out64,
    running: Out32, left: Out64, active: Out64, last: Out64, stalled: Out64, turn: Out64,
    event_key: Out64, event_tie: Out64, head: Out32, tail: Out32, after: Out32, before: Out32, freed: Out32,
    start: Out64, finish: Out64, transfer_start: Out64, transfer_finish: Out64,
) -> int:  # fmt: skip
    """Simulate one step; fills start and finish of nodes and transfers; returns how many nodes ran.

    Device d has the threads d * slots to (d + 1) * slots: running is the node of each (-1 = none), left what it still
    needs of its device, active how many run there. In a nanosecond a device does `parts`, which up to `slots` nodes can
    share without a remainder; it has done its work up to `last`, and does none until `stalled`. Thread i has two
    queues, 2 i for what it does at once, 2 i + 1 for what others may take. Links are free `flight_ns` before a transfer
    arrives. Events of transfers are (time, 2 t) when they begin, (time, 2 t + 1) when they arrive.
    """
    n = len(placement)
    never = 1 << 62
    events = 0
    done = 0
    now = 0
    for v in range(n):
        if waits[v] == 0:
            d = placement[v]
            put(2 * (d * slots + turn[d] % slots) + 1, v, 0, head, tail, after, before)
            turn[d] += 1
    while True:
        for thread in range(k * slots):
            d = thread // slots
            if running[thread] < 0:
                v = next_node(d, slots, thread, head, tail, after, before)
                if v >= 0:
                    running[thread] = v
                    left[thread] = node_ns[v] * parts
                    active[d] += 1
                    start[v] = now
        # what happens next: an event, or the end of what has the least left on its device
        then = event_key[0] if events > 0 else never
        ends = -1
        for thread in range(k * slots):
            if running[thread] >= 0:
                d = thread // slots
                end = max(last[d], stalled[d]) + (left[thread] * active[d] + parts - 1) // parts
                if end < then:
                    then = end
                    ends = thread
        if ends < 0 and events == 0:
            return done
        for d in range(k):
            worked = then - max(last[d], stalled[d])
            if worked > 0 and active[d] > 0:
                for thread in range(d * slots, (d + 1) * slots):
                    left[thread] = max(left[thread] - worked * (parts // active[d]), 0)
            last[d] = then
        now = then
        if ends < 0:
            t = event_tie[0] >> 1
            arrives = event_tie[0] & 1
            pop(event_key, event_tie, 0, events)
            events -= 1
            here, there = placement[transfer_src[t]], transfer_device[t]
            if not arrives:
                stalled[here] = max(stalled[here], now) + send_ns[t]
                stalled[there] = max(stalled[there], now) + receive_ns[t]
                continue
            arrive(n + t, there, slots, first_edge, next_edge, dst, waits, turn, head, tail, after, before)
            continue
        v = running[ends]
        d = placement[v]
        running[ends] = -1
        active[d] -= 1
        finish[v] = now
        done += 1
        for t in range(transfer_ptr[v], transfer_ptr[v + 1]):
            pair = d * k + transfer_device[t]
            begin = now
            for i in range(path_ptr[pair], path_ptr[pair + 1]):
                begin = max(begin, link_free[path_link[i]])
            transfer_start[t] = begin
            transfer_finish[t] = begin + transfer_ns[t]
            for i in range(path_ptr[pair], path_ptr[pair + 1]):
                link_free[path_link[i]] = max(transfer_finish[t] - flight_ns, begin)
            push(event_key, event_tie, 0, events, begin, 2 * t)
            push(event_key, event_tie, 0, events + 1, transfer_finish[t], 2 * t + 1)
            events += 2
        hand_out(
            v, ends, cheap_ns, first_edge, next_edge, dst, waits, node_ns, freed, head, tail, after, before
        )  # fmt: skip
