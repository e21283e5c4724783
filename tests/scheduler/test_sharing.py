"""Cores that are shared, by hand: threads by turns, newest first, and transfers that are work at both ends."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scheduler.machine import UNLIMITED, Machine
from scheduler.schedule import Schedule
from scheduler.sharing import Sharing, simulate_sharing
from tests.factories import BYTES_PER_NS, Sketch, drawn
from tests.strategies import machines, placements, workloads

TWO = Machine.uniform(2, UNLIMITED, 0, BYTES_PER_NS)
ONE_THREAD = Sharing(slots=1)
TURNS = Sharing(slice_ns=4)


def run(sketch: Sketch, place: str, sharing: Sharing) -> Schedule:
    return simulate_sharing(sketch.workload(), TWO, sketch.placement(place), sharing)


def test_two_threads_take_turns_of_a_slice() -> None:
    #  A runs in 0-4, 8-12, 16-18; B in 4-8, 12-16, 18-20
    both = run(drawn("A=10 B=10"), "AB", TURNS)
    assert both.start_ns.tolist() == [0, 4]
    assert both.finish_ns.tolist() == [18, 20]


def test_what_is_left_of_the_longer_one_then_runs_without_a_break() -> None:
    assert run(drawn("A=10 B=4"), "AB", TURNS).finish_ns.tolist() == [14, 8]


def test_a_thread_goes_on_with_the_last_that_it_made_ready_and_takes_the_newest_next() -> None:
    #  A -> B, C, D    with one thread: A, then D at once, then C, then B
    order = run(drawn("A=1 B=1 C=1 D=1 A-B A-C A-D"), "ABCD", ONE_THREAD).start_ns.tolist()
    assert order == [0, 3, 2, 1]


def test_sending_is_work_of_the_thread_that_made_the_tensor_and_receiving_of_the_other_core() -> None:
    #  A 0-2, sends 2-5, C 5-25;  D 0-20, then the 4 of receiving, then B: a slice is long
    sketch = drawn("A=2 B=1 C=20 D=20 A-B:8 A-C")
    taken = run(sketch, "AC BD", Sharing(slots=1, send_ns=3, receive_ns=4))
    assert taken.start_ns[sketch["C"]] == 5
    assert taken.start_ns[sketch["B"]] == 24
    assert taken.transfer_start_ns.tolist() == [5]
    assert taken.transfer_finish_ns.tolist() == [24]


def test_what_arrives_at_a_busy_core_waits_for_the_end_of_a_slice() -> None:
    #  A 0-2, sends 2-5; A's tensor can be read at 6, but D has its core until 7
    sketch = drawn("A=2 B=1 D=20 A-B:8")
    taken = run(sketch, "A BD", Sharing(slots=1, slice_ns=7, send_ns=3, receive_ns=4))
    assert taken.transfer_finish_ns.tolist() == [7 + 4]
    assert taken.finish_ns[sketch["D"]] > 20


def test_a_large_tensor_is_written_and_read_at_the_same_time() -> None:
    #  8 bytes in 8 ns at each end: written by the sender 2-10, read 2-10, not one after the other
    sketch = drawn("A=2 B=1 A-B:8")
    ends = Sharing(send_s_per_byte=1e-9, receive_s_per_byte=1e-9)
    assert run(sketch, "A B", replace(ends, at_once_bytes=4)).start_ns[sketch["B"]] == 10
    assert run(sketch, "A B", replace(ends, at_once_bytes=8)).start_ns[sketch["B"]] == 18


def test_the_links_hold_what_the_ends_do_not_do() -> None:
    #  a link of 1 ns a byte: 8 in all, of which sending is 3
    sketch = drawn("A=2 B=1 A-B:8")
    assert run(sketch, "A B", Sharing(send_ns=3)).start_ns[sketch["B"]] == 2 + 8
    assert run(sketch, "A B", Sharing(send_ns=30)).start_ns[sketch["B"]] == 2 + 30


@given(st.data())
def test_every_node_runs_after_its_inputs_and_no_device_does_more_than_it_can(data: st.DataObject) -> None:
    work = data.draw(workloads())
    machine = data.draw(machines(work.k))
    place = data.draw(placements(work.dag.n, work.k))
    slots = data.draw(st.integers(1, 3))
    sharing = Sharing(slots=slots, slice_ns=3, send_ns=1, receive_ns=1, send_s_per_byte=1e-9, at_once_bytes=2)
    found = simulate_sharing(work, machine, place, sharing)
    own = work.time_ns[np.arange(work.dag.n), place]
    assert (found.finish_ns - found.start_ns >= own).all()
    local = found.edge_transfer < 0
    dag = work.dag
    assert (found.start_ns[dag.dst[local]] >= found.finish_ns[dag.src[local]]).all()
    arrival = found.transfer_finish_ns[found.edge_transfer[~local]]
    assert (found.start_ns[dag.dst[~local]] >= arrival).all()
    assert (found.transfer_finish_ns >= found.transfer_start_ns).all()
    for device in range(work.k):
        here = place == device
        sent = (place[found.transfer_src] == device).sum() + (found.transfer_device == device).sum()
        assert max(found.finish_ns[here].max(initial=0), found.transfer_finish_ns.max(initial=0)) >= own[here].sum()
        assert sent == 0 or found.makespan_ns > 0
