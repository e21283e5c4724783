"""A trace read back by Perfetto's rules, for tests: what its importer does with each kind of event."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

Slice = tuple[int, int, str]
"""Start and end in ns, and the name."""


def ns(microseconds: float) -> int:
    """As Perfetto reads a time: to the nearest nanosecond."""
    return round(microseconds * 1000)


@dataclass
class Read:
    """What a viewer would show."""

    processes: dict[int, str] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)
    tracks: dict[tuple[int, int], str] = field(default_factory=dict)
    slices: dict[tuple[int, int], list[Slice]] = field(default_factory=lambda: defaultdict(list))
    flows: dict[int, list[tuple[str, str, str]]] = field(default_factory=lambda: defaultdict(list))
    """By number: (phase, track, name of the slice it is bound to)."""
    counters: dict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    instants: list[str] = field(default_factory=list)
    events: int = 0
    """All but the names of processes and tracks."""

    def on(self, process: str, track: str) -> list[Slice]:
        """The slices of a track, by the names of both."""
        return [
            one
            for key, title in self.tracks.items()
            if (self.processes[key[0]], title) == (process, track)
            for one in self.slices[key]
        ]


def read(data: bytes) -> Read:
    """Raises AssertionError where Perfetto would show something else than what is written."""
    events = json.loads(data)["traceEvents"]
    found = Read()
    for event in events:
        if event["ph"] == "M":
            _name(found, event)
    timed = [event for event in events if event["ph"] != "M"]
    found.events = len(timed)
    for event in sorted(timed, key=lambda event: ns(event["ts"])):  # stable, as the importer's sort is
        _take(found, event)
    for number, ends in found.flows.items():
        phases = "".join(phase for phase, _, _ in ends)
        assert phases[0] == "s"
        assert phases[-1] == "f"
        assert set(phases[1:-1]) <= {"t"}, f"arrow {number} goes {phases}"
    return found


def _name(found: Read, event: dict[str, Any]) -> None:
    process, what, values = event["pid"], event["name"], event["args"]
    if what == "process_name":
        found.processes[process] = values["name"]
    elif what == "process_labels":
        found.labels[process] = values["labels"]
    elif what == "thread_name":
        assert event["tid"] not in found.processes
        assert all(event["tid"] != thread for _, thread in found.tracks)
        found.tracks[process, event["tid"]] = values["name"]


def _take(found: Read, event: dict[str, Any]) -> None:
    moment, process = ns(event["ts"]), event["pid"]
    assert process in found.processes
    if event["ph"] == "C":
        found.counters[process].append((moment, event["args"]["bytes"]))
        return
    if event["ph"] == "i":
        found.instants.append(event["name"])
        return
    here = found.slices[process, event["tid"]]
    track = f"{found.processes[process]} {found.tracks[process, event['tid']]}"
    if event["ph"] == "X":
        assert not here or here[-1][1] <= moment, f"{event['name']} and {here[-1][2]} overlap on {track}"
        here.append((moment, moment + ns(event["dur"]), event["name"]))
    else:  # the end of an arrow binds to the slice that is open on its track
        assert event["ph"] in "stf"
        assert here
        assert here[-1][0] <= moment <= here[-1][1], f"no slice is open for an arrow on {track}"
        assert event["ph"] != "f" or event["bp"] == "e"
        found.flows[event["id"]].append((event["ph"], track, here[-1][2]))
