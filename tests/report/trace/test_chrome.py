"""A step's timeline shows what the simulator says: every op, transfer and byte, on tracks that Perfetto can draw."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from pardnn.problem import Placement, Problem
from pardnn.report.trace.chrome import Trace, chrome_trace
from pardnn.report.trace.tracks import spans_of
from scheduler import memory
from scheduler.machine import UNLIMITED, Machine
from scheduler.simulate import simulate
from tests.factories import BYTES_PER_NS, drawn
from tests.instances import instance
from tests.report.trace.reading import Read, read

HOSTILE = [
    "</script><script>alert(1)</script>",
    "\x1b[31mred\x1b[0m",
    "\u202eevil\u2066",
    "two\nlines\r\t",
    "x" * 4000,
    "\ud800",
    '"\\',
    "",
]


def scattered(problem: Problem, seed: int) -> Placement:
    return np.random.default_rng(seed).integers(problem.gpus, size=problem.workload.dag.n).astype(np.int32)


def trace_of(problem: Problem, placement: Placement, max_events: int = 10**6) -> tuple[Trace, Read]:
    names = [f"op{v}" for v in range(problem.workload.dag.n)]
    made = chrome_trace(problem, problem.simulate(placement), names, ["MatMul"] * len(names), max_events)
    return made, read(made.data)


def test_a_step_by_hand() -> None:
    #  A runs on GPU:0, its 3 bytes go to GPU:1, where B reads them and holds them to its end
    sketch = drawn("A=5 B=2 A-B:3", output=[3, 7])
    problem = sketch.problem(memory=20)
    schedule = problem.simulate(sketch.placement("A B"))
    shown = read(chrome_trace(problem, schedule, sketch.names, ["Src", "Dst"]).data)
    assert list(shown.processes.values()) == ["GPU:0", "GPU:1", "CPU:0"]
    assert list(shown.labels.values()) == ["20 B of memory", "20 B of memory"]
    assert shown.on("GPU:0", "compute") == [(0, 5, "A")]
    assert shown.on("GPU:0", "send") == shown.on("GPU:1", "recv") == [(5, 8, "A")]
    assert shown.on("GPU:1", "compute") == [(8, 10, "B")]
    assert shown.flows == {
        1: [
            ("s", "GPU:0 compute", "A"),
            ("t", "GPU:0 send", "A"),
            ("t", "GPU:1 recv", "A"),
            ("f", "GPU:1 compute", "B"),
        ]
    }
    assert shown.counters == {1: [(0, 0), (0, 3), (8, 0)], 2: [(0, 0), (5, 3), (8, 10), (10, 0)], 3: [(0, 0)]}
    assert (
        json.loads(chrome_trace(problem, schedule, sketch.names, ["Src", "Dst"]).data)["traceEvents"][-1]["ph"] == "C"
    )


@pytest.mark.parametrize("contention", ["link", "none"])
@pytest.mark.parametrize("seed", range(40))
def test_drawn_steps_are_shown_whole_and_their_peaks_are_the_simulator_s(seed: int, contention: str) -> None:
    problem = instance(seed)
    problem = Problem(problem.workload, problem.machine, problem.group, problem.pin, problem.gpus, "fifo", contention)
    placement = problem.settle(scattered(problem, seed))
    schedule = problem.simulate(placement)
    made, shown = trace_of(problem, placement)
    assert made.dropped == ""
    assert sum(map(len, shown.slices.values())) == len(placement) + 2 * len(schedule.transfer_src)
    assert len(shown.flows) == len(schedule.transfer_src)
    assert all(len(ends) == 4 for ends in shown.flows.values())
    peaks = [max(size for _, size in shown.counters[d + 1]) for d in range(problem.machine.k)]
    assert peaks == memory.peaks(problem.workload, problem.machine, schedule).tolist()


def test_transfers_that_overlap_get_tracks_of_their_own() -> None:
    #  without contention both tensors of A travel at once
    sketch = drawn("A=1 A-B:5 A-C:6")
    problem = sketch.problem(contention="none")
    _, shown = trace_of(problem, sketch.placement("A BC"))
    assert shown.on("GPU:0", "send") == [(1, 6, "op0")]
    assert shown.on("GPU:0", "send 2") == [(1, 7, "op0")]


def test_between_hosts_the_network_cards_are_shown_too() -> None:
    sketch = drawn("A=1 B=1 A-B:5")
    machine = Machine.ported(("a", "b"), UNLIMITED, 0, BYTES_PER_NS, [0, 1])
    problem = Problem(sketch.workload(), machine, np.arange(2, dtype=np.int32), np.full(2, -1, np.int32), 2)
    _, shown = trace_of(problem, sketch.placement("A B"))
    assert list(shown.processes.values()) == ["a", "b", "network"]
    assert shown.on("network", "host 0 out") == shown.on("network", "host 1 in") == [(1, 6, "op0")]
    assert shown.on("network", "host 1 out") == []


def test_what_takes_no_time_is_shown_before_what_it_feeds() -> None:
    sketch = drawn("A=0 B=0 C=4 A-B:0 B-C:0")
    problem = sketch.problem()
    _, shown = trace_of(problem, sketch.placement("AC B"))
    assert [name for _, _, name in shown.on("GPU:0", "compute")] == ["op0", "op2"]
    assert len(shown.flows) == 2


def test_hostile_names_are_harmless_and_still_there() -> None:
    sketch = drawn(" ".join(f"{c}=1" for c in "ABCDEFGH"))
    problem = sketch.problem()
    made = chrome_trace(problem, problem.simulate(sketch.placement("ABCDEFGH")), HOSTILE, HOSTILE)
    assert made.data.isascii()
    assert b"\x1b" not in made.data
    shown = [name for _, _, name in read(made.data).on("GPU:0", "compute")]
    assert "".join(shown).isprintable()
    assert max(map(len, shown)) == 300
    assert {r"\x1b[31mred\x1b[0m", r"\u202eevil\u2066", r"two\nlines\r\t", r"\ud800", '"\\', ""} <= set(shown)
    kinds = [event["args"]["op"] for event in json.loads(made.data)["traceEvents"] if event["ph"] == "X"]
    assert sorted(kinds) == sorted(shown)


def test_a_long_trace_keeps_its_longest_spans_and_its_peaks() -> None:
    #  ops of 1 to 300 ns on two devices, each with a tensor for the next
    length = [(7 * v) % 300 + 1 for v in range(300)]
    words = [f"n{v}={took}" for v, took in enumerate(length)] + [f"n{v}-n{v + 1}:{v % 50 + 1}" for v in range(299)]
    sketch = drawn(" ".join(words))
    problem = sketch.problem()
    placement = np.arange(300, dtype=np.int32) // 3 % 2
    schedule = problem.simulate(placement.astype(np.int32))
    whole, _ = trace_of(problem, placement)
    made, shown = trace_of(problem, placement, 400)
    assert whole.dropped == ""
    assert made.dropped.startswith("the trace leaves out the shortest ")
    assert shown.instants == [made.dropped]
    assert shown.events - len(shown.instants) <= 400
    kept = [int(name[2:]) for one in (0, 1) for _, _, name in shown.on(f"GPU:{one}", "compute")]
    lost = set(range(300)) - set(kept)
    assert min(length[v] for v in kept) >= max(length[v] for v in lost) - 1
    peaks = [max(size for _, size in shown.counters[d + 1]) for d in range(3)]
    assert peaks == memory.peaks(problem.workload, problem.machine, schedule).tolist()


def test_a_packed_trace_has_the_same_bytes_each_time() -> None:
    problem = instance(3)
    placement = problem.settle(np.zeros(problem.workload.dag.n, np.int32))
    one, two = (trace_of(problem, placement)[0] for _ in range(2))
    assert one.packed("x.json.gz") == two.packed("y.json.gz")
    assert gzip.decompress(one.packed("x.json.gz")) == one.packed("x.json") == one.data


def test_an_empty_graph_has_a_trace() -> None:
    sketch = drawn("")
    problem = sketch.problem()
    _, shown = trace_of(problem, np.zeros(0, np.int32))
    assert shown.events == 3  # what each device holds: nothing


def test_the_rules_of_reading_find_what_is_wrong(tmp_path: Path) -> None:
    head = [{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "d"}},
            {"ph": "M", "name": "thread_name", "pid": 1, "tid": 9, "args": {"name": "t"}}]  # fmt: skip
    long = {"ph": "X", "pid": 1, "tid": 9, "ts": 0, "dur": 5, "name": "a"}
    for wrong in (long | {"ts": 4}, {"ph": "s", "pid": 1, "tid": 9, "ts": 6, "id": 1}):
        with pytest.raises(AssertionError):
            read(json.dumps({"traceEvents": [*head, long, wrong]}).encode())


def test_every_span_is_on_a_track_of_its_own_device() -> None:
    problem = instance(5)
    schedule = simulate(problem.workload, problem.machine, problem.settle(scattered(problem, 1)))
    spans = spans_of(problem.machine, schedule)
    place = [spans.tracks[track].process for track in spans.track.tolist()]
    assert place[: len(schedule.placement)] == schedule.placement.tolist()
