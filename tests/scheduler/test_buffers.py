"""Memory where ops work on their inputs' buffers, by hand: views, writing in place, copies, and what is never free."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scheduler import buffers, memory
from scheduler.machine import UNLIMITED, Machine
from scheduler.simulate import simulate
from tests.factories import BYTES_PER_NS, Sketch, drawn
from tests.strategies import machines, placements, workloads

TWO = Machine.uniform(2, UNLIMITED, 0, BYTES_PER_NS)
FRESH, IN_PLACE, VIEW = buffers.FRESH, buffers.IN_PLACE, buffers.VIEW


def peaks(sketch: Sketch, place: str, reuse: list[int]) -> list[int]:
    work = sketch.workload()
    schedule = simulate(work, TWO, sketch.placement(place))
    found: list[int] = buffers.peaks(work, TWO, schedule, reuse).tolist()
    return found


def test_a_view_takes_nothing_and_keeps_the_buffer_until_its_own_readers_are_done() -> None:
    #  A's 100 bytes are B's too, and C reads B: still there while D makes 100 more
    sketch = drawn("A=1 B=1 D=1 C=1 A-B:100 B-C:100 D-C:100", output=[100, 100, 100, 0])
    assert peaks(sketch, "ABDC", [VIEW, FRESH, FRESH]) == [200, 0]
    assert peaks(sketch, "ABDC", [FRESH, FRESH, FRESH]) == [300, 0]


def test_an_op_writes_over_an_input_that_nobody_else_needs() -> None:
    sketch = drawn("A=1 B=1 C=1 A-B:100 B-C:100", output=[100, 100, 0])
    assert peaks(sketch, "ABC", [IN_PLACE, FRESH]) == [100, 0]


def test_it_does_not_while_another_reader_waits() -> None:
    sketch = drawn("A=1 B=1 C=1 A-B:100 A-C:100 B-C:100", output=[100, 100, 0])
    assert peaks(sketch, "ABC", [IN_PLACE, FRESH, FRESH]) == [200, 0]


def test_nor_over_one_of_another_size() -> None:
    sketch = drawn("A=1 B=1 C=1 A-B:1000 B-C:100", output=[1000, 100, 0])
    assert peaks(sketch, "ABC", [IN_PLACE, FRESH]) == [1100, 0]


def test_nor_over_a_variable_whose_reading_makes_no_buffer() -> None:
    sketch = drawn("A=1 B=1 C=1 A-B:100 B-C:100", output=[0, 100, 0], resident=[100, 0, 0])
    assert peaks(sketch, "ABC", [IN_PLACE, FRESH]) == [200, 0]


def test_but_over_a_copy_of_it_on_another_device() -> None:
    sketch = drawn("A=1 B=1 C=1 A-B:100 B-C:100", output=[0, 100, 0], resident=[100, 0, 0])
    assert peaks(sketch, "A BC", [IN_PLACE, FRESH]) == [100, 100]


def test_a_view_of_a_copy_keeps_the_copy() -> None:
    sketch = drawn("A=1 B=1 D=1 C=1 A-B:100 B-C:100 D-C:7", output=[100, 100, 7, 0])
    assert peaks(sketch, "A BDC", [VIEW, FRESH, FRESH]) == [100, 107]


def test_tensors_of_one_node_are_freed_one_by_one() -> None:
    #  A makes 10 and 20: B reads the 10, C the 20 after it; D needs 30 when B's is gone
    sketch = drawn("A=1 B=1 C=1 A-B:10 A-C:20 B-C", output=[30, 0, 30])
    assert peaks(sketch, "ABC", [FRESH] * 3) == [50, 0]


@given(st.data())
def test_without_any_reuse_it_takes_at_most_what_whole_outputs_take(data: st.DataObject) -> None:
    work = data.draw(workloads())
    machine = data.draw(machines(work.k))
    schedule = simulate(work, machine, data.draw(placements(work.dag.n, work.k)))
    found = buffers.peaks(work, machine, schedule, np.zeros(work.dag.m, np.int32))
    assert (found <= memory.peaks(work, machine, schedule)).all()
