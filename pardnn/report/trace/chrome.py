"""One step as Chrome's trace events: a process per device, its ops and transfers on tracks, its memory as a counter.

The format is JSON, "Trace Event Format"; times in it are microseconds. Perfetto reads three decimals of them exactly.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.problem import Problem
from pardnn.report.trace.arrows import END, arrows
from pardnn.report.trace.choose import MAX_EVENTS, longest, thinned
from pardnn.report.trace.tracks import COMPUTE, SEND, Spans, spans_of, times_of
from pardnn.report.words import count, safe, short, shorten
from pardnn.units import format_size
from scheduler import memory
from scheduler.machine import UNLIMITED
from scheduler.schedule import Schedule

_NAME = 300  # characters of a name that are shown
_NETWORK = "network"


@dataclass(frozen=True)
class Trace:
    """A trace's JSON, and a word on what it leaves out; "" where it has everything."""

    data: bytes
    dropped: str

    def packed(self, path: str) -> bytes:
        """The bytes for a file of that name: a gzip, without a time, where it ends in .gz."""
        return gzip.compress(self.data, compresslevel=6, mtime=0) if path.endswith(".gz") else self.data


def chrome_trace(
    problem: Problem, schedule: Schedule, names: Sequence[str], ops: Sequence[str], max_events: int = MAX_EVENTS
) -> Trace:
    """The trace of a schedule; names and ops: [n] of each node. O((n + m) log n).

    Of at most `max_events` events a quarter are for memory; what is too much is dropped as `choose` says. The tracks'
    own names are not counted.
    """
    spans = spans_of(problem.machine, schedule)
    device, time, held = memory.usage(problem.workload, problem.machine, schedule)
    sampled = thinned(device, held, max(max_events // 4, 2 * problem.machine.k))
    shown = longest(spans, schedule, max_events - int(sampled.sum()) - problem.machine.k)
    dropped = _dropped(spans, shown, sampled)
    lines = [
        *_titles(problem, spans, shown, dropped),
        *_slices(problem, spans, schedule, shown, _texts(names), _texts(ops)),
        *_counters(problem, schedule, (device[sampled], time[sampled], held[sampled])),
    ]
    text = '{"displayTimeUnit":"ns","traceEvents":[\n' + ",\n".join(lines) + "\n]}\n"
    return Trace(text.encode(), dropped)


def _texts(texts: Sequence[str]) -> list[str]:
    """Names from outside as JSON: printable, ASCII, and no longer than a viewer shows."""
    return [json.dumps(safe(shorten(text, _NAME))) for text in texts]


def _dropped(spans: Spans, shown: NDArray[np.bool_], sampled: NDArray[np.bool_]) -> str:
    """What is not in the trace, in a sentence."""
    if shown.all() and sampled.all():
        return ""
    parts = []
    for kind, noun in ((COMPUTE, "op"), (SEND, "transfer")):
        mine = shown[spans.kind == kind]
        if not mine.all():
            parts.append(f"the shortest {int((~mine).sum()):,} of {count(len(mine), noun)}")
    if not sampled.all():
        parts.append(f"{int((~sampled).sum()):,} of {count(len(sampled), 'sample')} of memory, no peak among them")
    listed = " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    return f"the trace leaves out {listed}; --max-events takes more"


def _titles(problem: Problem, spans: Spans, shown: NDArray[np.bool_], dropped: str) -> Iterator[str]:
    """The names of processes and tracks, in the order in which they are to be shown."""
    machine = problem.machine
    used = set(spans.track[shown].tolist())
    network = any(spans.tracks[track].process == machine.k for track in used)
    for process, name in enumerate((*map(short, machine.devices), *([_NETWORK] if network else []))):
        yield _meta("process_name", process + 1, 0, name=name)
        yield _meta("process_sort_index", process + 1, 0, sort_index=process)
        limit = machine.memory_bytes[process] if process < machine.k else UNLIMITED
        if limit < UNLIMITED:
            yield _meta("process_labels", process + 1, 0, labels=f"{format_size(int(limit))} of memory")
    for track in sorted(used):
        process, title = spans.tracks[track]
        yield _meta("thread_name", process + 1, _thread(machine.k, track), name=title)
        yield _meta("thread_sort_index", process + 1, _thread(machine.k, track), sort_index=track)
    if dropped:
        yield json.dumps({"ph": "i", "s": "g", "ts": 0, "pid": 1, "tid": 1, "name": dropped})


def _thread(k: int, track: int) -> int:
    """A track's number: no process has it, for that would make it the process's first."""
    return k + 2 + track


def _meta(what: str, process: int, thread: int, **values: object) -> str:
    return json.dumps({"ph": "M", "name": what, "pid": process, "tid": thread, "args": values})


def _slices(
    problem: Problem, spans: Spans, schedule: Schedule, shown: NDArray[np.bool_], labels: list[str], kinds: list[str]
) -> Iterator[str]:
    """The spans in the order of time, behind each of them the ends of arrows that are bound to it."""
    k = problem.machine.k
    start, finish = times_of(spans, schedule)
    in_time = _in_time(problem, spans, schedule, start, finish)
    in_time = in_time[shown[in_time]]
    ends = arrows(problem.workload, schedule, shown)
    output, carried = problem.workload.output_bytes.tolist(), schedule.transfer_bytes.tolist()
    device = [json.dumps(short(name)) for name in problem.machine.devices]
    source, target = schedule.transfer_src.tolist(), schedule.transfer_device.tolist()
    place = schedule.placement.tolist()
    columns = (in_time, spans.kind[in_time], spans.item[in_time], spans.track[in_time], start[in_time], finish[in_time])
    for span, kind, item, track, begin, end in zip(*(column.tolist() for column in columns), strict=True):
        where = f'"pid":{spans.tracks[track].process + 1},"tid":{_thread(k, track)},"ts":{_us(begin)}'
        if kind == COMPUTE:
            what = f'"cat":"op","name":{labels[item]},"args":{{"op":{kinds[item]},"output_bytes":{output[item]}}}'
        else:
            sender, receiver = device[place[source[item]]], device[target[item]]
            told = f'"bytes":{carried[item]},"from":{sender},"to":{receiver}'
            what = f'"cat":"transfer","name":{labels[source[item]]},"args":{{{told}}}'
        yield f'{{"ph":"X",{where},"dur":{_us(end - begin)},{what}}}'
        for phase, transfer in ends.get(span, ()):
            bound = ',"bp":"e"' if phase == END else ""  # to the span that is open then, not to the next
            yield f'{{"ph":"{phase}",{where},"id":{transfer + 1},"cat":"transfer","name":"transfer"{bound}}}'


def _in_time(
    problem: Problem, spans: Spans, schedule: Schedule, start: NDArray[np.int64], finish: NDArray[np.int64]
) -> NDArray[np.int64]:
    """[s] the spans by start; what takes no time before what begins with it, what feeds before what it feeds."""
    n = len(schedule.placement)
    turn = np.empty(n, np.int64)
    turn[problem.workload.dag.order] = 2 * np.arange(n)
    turn = np.concatenate([turn, turn[schedule.transfer_src[spans.item[n:]]] + 1])
    return np.lexsort((spans.kind, turn, finish, start))


def _counters(problem: Problem, schedule: Schedule, usage: memory.Columns) -> Iterator[str]:
    """What each device holds, from the step's start on: its first sample is what it holds all the time."""
    held = memory.resident(problem.workload, problem.machine, schedule.placement).tolist()
    for device, size in enumerate(held):
        yield _counter(device, 0, size)
    for device, moment, size in zip(*(column.tolist() for column in usage), strict=True):
        yield _counter(device, moment, size)


def _counter(device: int, moment: int, size: int) -> str:
    return f'{{"ph":"C","pid":{device + 1},"ts":{_us(moment)},"name":"memory","args":{{"bytes":{size}}}}}'


def _us(nanoseconds: int) -> str:
    """Microseconds, exactly.

    >>> _us(12_345)
    '12.345'
    """
    return f"{nanoseconds // 1000}.{nanoseconds % 1000:03}"
