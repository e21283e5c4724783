"""The referee: says whether a schedule could really happen, and how much memory it holds.

It shares no code with the simulator or the memory model, and is written for certainty, not speed: O(n + m + t log t)
dictionary work in plain Python. Tests let it judge what the simulator returns.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator

from scheduler.machine import Machine
from scheduler.schedule import Schedule
from scheduler.workload import Workload


def faults(workload: Workload, machine: Machine, schedule: Schedule, contention: str = "link") -> list[str]:
    """Every rule of the execution model the schedule breaks, one line each; [] = it could happen."""
    return [*_computation(workload, schedule), *_communication(workload, machine, schedule, contention)]


def _computation(workload: Workload, schedule: Schedule) -> Iterator[str]:
    busy = defaultdict(list)
    for v in range(workload.dag.n):
        device, start, finish = int(schedule.placement[v]), int(schedule.start_ns[v]), int(schedule.finish_ns[v])
        if start < 0 or finish - start != int(workload.time_ns[v, device]):
            yield f"node {v} runs from {start} to {finish}, its time is {workload.time_ns[v, device]}"
        busy[device].append((start, finish, v))
    yield from _overlaps("device", busy)


def _communication(workload: Workload, machine: Machine, schedule: Schedule, contention: str) -> Iterator[str]:
    dag, place = workload.dag, schedule.placement
    sent: dict[tuple[int, int, int], int] = {}
    held = defaultdict(list)
    for t, (u, to, size) in enumerate(
        zip(
            schedule.transfer_src.tolist(),
            schedule.transfer_device.tolist(),
            schedule.transfer_bytes.tolist(),
            strict=True,
        )
    ):
        if (u, to, size) in sent:
            yield f"{size} bytes of node {u} are sent to device {to} twice"
        sent[u, to, size] = t
        begin, end = int(schedule.transfer_start_ns[t]), int(schedule.transfer_finish_ns[t])
        here = int(place[u])
        takes = int(machine.latency_ns[here, to]) + math.ceil(size / int(machine.bytes_per_s[here, to]) * 1e9)
        if begin < schedule.finish_ns[u] or end - begin != takes:
            yield f"transfer {t} of node {u} runs from {begin} to {end}, it takes {takes} from {schedule.finish_ns[u]}"
        pair = here * machine.k + to
        for link in machine.path_link[machine.path_ptr[pair] : machine.path_ptr[pair + 1]].tolist():
            held[link].append((begin, end, t))
    if contention == "link":
        yield from _overlaps("link", held)
    needed = set()
    for u, v, size in zip(dag.src.tolist(), dag.dst.tolist(), workload.edge_bytes.tolist(), strict=True):
        arrival = int(schedule.finish_ns[u])
        if place[u] != place[v]:
            key = (u, int(place[v]), size)
            needed.add(key)
            if key not in sent:
                yield f"{size} bytes of node {u} never reach node {v} on device {place[v]}"
                continue
            arrival = int(schedule.transfer_finish_ns[sent[key]])
        if schedule.start_ns[v] < arrival:
            yield f"node {v} starts at {schedule.start_ns[v]}, before its input from node {u} is there at {arrival}"
    yield from (
        f"{size} bytes of node {u} are sent to device {to}, where nobody reads them"
        for u, to, size in sent.keys() - needed
    )


def _overlaps(what: str, busy: dict[int, list[tuple[int, int, int]]]) -> Iterator[str]:
    for which, spans in sorted(busy.items()):
        free = 0
        for begin, end, item in sorted(spans):
            if begin < free:
                yield f"{what} {which} takes {item} at {begin} and is busy until {free}"
            free = max(free, end)


def peaks(workload: Workload, machine: Machine, schedule: Schedule) -> list[int]:
    """[k] the most bytes each device holds, recounted tensor by tensor."""
    dag, place = workload.dag, schedule.placement.tolist()
    start, finish = schedule.start_ns.tolist(), schedule.finish_ns.tolist()
    until = list(finish)
    copies: dict[tuple[int, int, int], int] = {}
    arrivals = {
        (u, to, size): (begin, end)
        for u, to, size, begin, end in zip(
            schedule.transfer_src.tolist(), schedule.transfer_device.tolist(), schedule.transfer_bytes.tolist(),
            schedule.transfer_start_ns.tolist(), schedule.transfer_finish_ns.tolist(), strict=True,
        )
    }  # fmt: skip
    for (u, _, _), (_, end) in arrivals.items():
        until[u] = max(until[u], end)
    for u, v, size in zip(dag.src.tolist(), dag.dst.tolist(), workload.edge_bytes.tolist(), strict=True):
        if place[u] == place[v]:
            until[u] = max(until[u], finish[v])
        else:
            key = (u, place[v], size)
            copies[key] = max(copies.get(key, 0), finish[v])
    change: list[dict[int, int]] = [defaultdict(int) for _ in range(machine.k)]
    for v in range(dag.n):
        for moment, size in (
            (start[v], int(workload.output_bytes[v])), (until[v], -int(workload.output_bytes[v])),
            (start[v], int(workload.temp_bytes[v])), (finish[v], -int(workload.temp_bytes[v])),
        ):  # fmt: skip
            change[place[v]][moment] += size
    for (u, to, size), (begin, _) in arrivals.items():
        change[to][begin] += size
        change[to][copies[u, to, size]] -= size
    top = []
    for device in range(machine.k):
        held = most = sum(int(workload.resident_bytes[v]) for v in range(dag.n) if place[v] == device)
        for moment in sorted(change[device]):
            held += change[device][moment]
            most = max(most, held)
        top.append(most)
    return top
