"""What the ops of a step take, from the traces of several: robust figures per op, and which rows they come from.

* A GPU's own rows (streams) say how long its kernels ran; the rows of its device only when the host started them, and
  give no times. "stream:all" repeats the single streams, so one or the other is used. Copies are no op's time.
* An op that stands in one row several times, as in a loop, ran several times; one that stands in several rows was
  copied to several devices, and the longest counts.
* TensorFlow's own names are brought back to the graph's: `x/replicate/_3` is x, `_arg_x_0_0` the placeholder x.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from pardnn.errors import InputError
from pardnn.traces.trace import Event, Trace

_STREAM = re.compile(r"(?P<gpu>.*?gpu:\d+)/(?P<row>.+)", re.IGNORECASE)
_GPU = re.compile(r"gpu:(\d+)$", re.IGNORECASE)
_ALL = re.compile(r"stream:\s*all", re.IGNORECASE)
_COPY = re.compile(r"mem(cpy|set)", re.IGNORECASE)
_OWN = re.compile(r"_(SOURCE|SINK)|_retval_.*")
_ARGUMENT = re.compile(r"_arg_(.+)_\d+_\d+")
_REPLICA = re.compile(r"(.+)/replicate/_\d+")


class OpTime(NamedTuple):
    """One op: its time in a step, all its runs together."""

    name: str
    op: str
    """Its type, "" where no trace says."""
    step_ns: float | None
    """The median over the steps in which it ran, times the share of steps in which it did; None = no times of it."""
    least_ns: float | None
    spread_ns: float | None
    """From the first quartile to the third."""
    runs: float
    """In a step."""
    output_bytes: int | None
    temp_bytes: int | None


@dataclass(frozen=True, eq=False)
class OpTimes:
    """The ops in order of their names, and what became of the rest."""

    steps: int
    ops: tuple[OpTime, ...]
    rows: tuple[str, ...]
    """Whose times were used."""
    dropped: dict[str, int]
    """Entries by why they were not, of all steps together."""

    @property
    def step_ns(self) -> float:
        """All ops one after the other."""
        return sum(op.step_ns or 0 for op in self.ops)


def op_times(traces: Sequence[Trace]) -> OpTimes:
    """The figures of each op over the steps. O(events).

    Raises InputError for traces without times: of GPUs of which there are launches but no kernels, or all zeros.
    """
    dropped: Counter[str] = Counter()
    steps = [_Step.of(trace, dropped) for trace in traces]
    names = sorted({name for step in steps for name in step.ops})
    ops = tuple(_figures(name, [step.ops[name] for step in steps if name in step.ops], len(steps)) for name in names)
    if not any(op.step_ns for op in ops):
        raise InputError(f"{traces[0].path}: no op in it took any time: the trace is empty or was made without times")
    if zeros := sum(op.step_ns == 0 for op in ops):
        dropped["ops of zero duration, counted as 0"] = zeros
    return OpTimes(len(steps), ops, tuple(sorted({row for step in steps for row in step.rows})), dict(dropped))


@dataclass
class _Seen:
    """One op in one step: per row what it took and how often it stood there."""

    op: str = ""
    ns: dict[str, int] = field(default_factory=dict)
    runs: Counter[str] = field(default_factory=Counter)
    output_bytes: int | None = None
    temp_bytes: int | None = None

    def note(self, event: Event, row: str | None) -> None:
        """Add an event; without a row it gives no time."""
        self.op = self.op or event.op
        if row is not None:
            self.ns[row] = self.ns.get(row, 0) + event.duration_ns
        self.runs["launches" if row is None else row] += 1
        self.output_bytes = _larger(self.output_bytes, event.output_bytes)
        self.temp_bytes = _larger(self.temp_bytes, event.temp_bytes)

    def count(self) -> int:
        """How often it ran; it may have launched several kernels each time."""
        return self.runs["launches"] or max(self.runs.values())


@dataclass
class _Step:
    """One trace by op."""

    ops: dict[str, _Seen] = field(default_factory=dict)
    rows: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, trace: Trace, dropped: Counter[str]) -> _Step:
        """The ops of a trace; what gives no time is counted."""
        step, seen = cls(), set()
        dropped.update(trace.dropped)
        rows = _rows(trace)
        for event in trace.events:
            name = plain(event.name)
            row, why = rows[event.track]
            if name is None:
                dropped["the runtime's own"] += 1
            elif _COPY.match(event.op) or _COPY.match(event.name):
                dropped["copies"] += 1
            elif event[:5] in seen:
                dropped["the same twice"] += 1
            elif row is None and why != _LAUNCHES:
                dropped[why] += 1
            else:
                seen.add(event[:5])
                step.ops.setdefault(name, _Seen()).note(event, row)
                dropped.update([why] if row is None else [])
                step.rows.update([event.track] if row is not None else [])
        return step


def plain(name: str) -> str | None:
    """The graph's name of what the runtime calls so; None of what is the runtime's own.

    >>> plain("w/replicate/_3"), plain("_arg_x_0_1"), plain("Func/while/body/_1/input/_9"), plain("_SOURCE")
    ('w', 'x', 'while/body/_1/input/_9', None)
    """
    if _OWN.fullmatch(name):
        return None
    for pattern in (_ARGUMENT, _REPLICA):
        if found := pattern.fullmatch(name):
            return found[1]
    return name.removeprefix("Func/")


_LAUNCHES = "launches of kernels that have times of their own"


def _rows(trace: Trace) -> dict[str, tuple[str | None, str]]:
    """Per track (what its times are added up under, None = they are not used; why not)."""
    tracks = dict.fromkeys(event.track for event in trace.events)
    streams = {track: found for track in tracks if (found := _STREAM.fullmatch(track))}
    whole = {_number(found["gpu"]) for found in streams.values() if _ALL.search(found["row"])}
    working = {_number(found["gpu"]) for found in streams.values()}
    rows: dict[str, tuple[str | None, str]] = {}
    for track in tracks:
        if found := streams.get(track):
            gpu = _number(found["gpu"])
            again = gpu in whole and not _ALL.search(found["row"])
            rows[track] = (None if again else f"gpu:{gpu}", "in single streams, for stream:all has them")
        elif (gpu := _number(track)) is None:
            rows[track] = track, ""
        elif gpu in working:
            rows[track] = None, _LAUNCHES
        elif any(plain(event.name) for event in trace.events if event.track == track):
            raise InputError(
                f"{trace.path}: says when ops were launched on {track}, but not how long its kernels ran: "
                "TensorFlow found no CUPTI; put its library on LD_LIBRARY_PATH and trace again"
            )
        else:
            rows[track] = None, _LAUNCHES
    return rows


def _number(track: str) -> str | None:
    found = _GPU.search(track)
    return found[1] if found else None


def _figures(name: str, seen: Sequence[_Seen], steps: int) -> OpTime:
    """The figures of an op from the steps in which it ran."""
    share = len(seen) / steps
    runs = float(np.median([one.count() for one in seen])) * share
    op = next((one.op for one in seen if one.op), "")
    output, temp = (_largest(getattr(one, what) for one in seen) for what in ("output_bytes", "temp_bytes"))
    times = [max(one.ns.values()) for one in seen if one.ns]
    if not times:
        return OpTime(name, op, None, None, None, runs, output, temp)
    first, median, third = np.percentile(times, (25, 50, 75)).tolist()
    return OpTime(name, op, median * share, min(times) * share, (third - first) * share, runs, output, temp)


def _larger(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else max(one, other)


def _largest(values: Iterable[int | None]) -> int | None:
    return max((value for value in values if value is not None), default=None)
