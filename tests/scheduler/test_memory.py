"""Memory over time, by hand: when an output, a copy and scratch space come and go."""

import numpy as np

from scheduler import memory
from scheduler.machine import UNLIMITED, Machine
from scheduler.simulate import simulate
from tests.factories import BYTES_PER_NS, Sketch, drawn

TWO = Machine.uniform(2, UNLIMITED, 0, BYTES_PER_NS)


def peaks(sketch: Sketch, place: str) -> list[int]:
    work = sketch.workload()
    top: list[int] = memory.peaks(work, TWO, simulate(work, TWO, sketch.placement(place))).tolist()
    return top


def test_an_output_lives_until_its_last_reader_is_done() -> None:
    #  A's 10 and B's 20 are held together while B runs, then B's 20 and C's 1
    assert peaks(drawn("A-B-C", output=[10, 20, 1]), "ABC") == [30, 0]


def test_residents_are_held_all_the_time_and_scratch_while_the_node_runs() -> None:
    assert peaks(drawn("A-B", resident=[100, 7], output=[1, 1], temp=[50, 60]), "AB") == [107 + 1 + 61, 0]


def test_a_sent_tensor_is_held_on_both_sides_while_it_travels() -> None:
    assert peaks(drawn("A-B:4", output=[4, 0]), "A B") == [4, 4]


def test_a_copy_is_shared_by_all_readers_of_a_device_and_goes_with_the_last() -> None:
    sketch = drawn("A=1 B=2 C=3 A-B:4 A-C:4", output=[4, 0, 0])
    work = sketch.workload()
    device, time, held = memory.usage(work, TWO, simulate(work, TWO, sketch.placement("A BC")))
    there = device == 1
    assert list(zip(time[there].tolist(), held[there].tolist(), strict=True)) == [(1, 4), (10, 0)]


def test_what_is_freed_at_a_moment_is_free_for_what_starts_then() -> None:
    assert peaks(drawn("A B", output=[10, 10]), "AB") == [10, 0]


def test_a_device_without_nodes_holds_nothing() -> None:
    assert peaks(drawn("A", resident=[5], output=[0]), "A") == [5, 0]
    work = drawn("A").workload()
    assert memory.resident(work, TWO, np.array([1], np.int32)).tolist() == [0, 0]
