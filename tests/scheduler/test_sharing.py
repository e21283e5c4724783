"""Processors that share, by hand: threads at a part of the speed, newest first, and transfers that take time off."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scheduler.machine import UNLIMITED, Machine
from scheduler.schedule import Schedule
from scheduler.sharing import Sharing, simulate_sharing
from tests.factories import BYTES_PER_NS, Sketch, drawn
from tests.strategies import machines, placements, workloads

TWO = Machine.uniform(2, UNLIMITED, 0, BYTES_PER_NS)
ONE_THREAD = Sharing(slots=1, cheap_ns=0)
PLAIN = Sharing(slots=2, cheap_ns=0)


def run(sketch: Sketch, place: str, sharing: Sharing) -> Schedule:
    return simulate_sharing(sketch.workload(), TWO, sketch.placement(place), sharing)


def test_two_nodes_at_once_take_as_long_as_one_after_the_other_but_end_together() -> None:
    both = run(drawn("A=10 B=10"), "AB", PLAIN)
    assert both.start_ns.tolist() == [0, 0]
    assert both.finish_ns.tolist() == [20, 20]


def test_what_is_left_of_the_longer_one_then_runs_at_full_speed() -> None:
    assert run(drawn("A=10 B=4"), "AB", PLAIN).finish_ns.tolist() == [14, 8]


def test_a_thread_goes_on_with_the_last_that_it_made_ready_and_takes_the_newest_next() -> None:
    #  A -> B, C, D    with one thread: A, then D at once, then C, then B
    order = run(drawn("A=1 B=1 C=1 D=1 A-B A-C A-D"), "ABCD", ONE_THREAD).start_ns.tolist()
    assert order == [0, 3, 2, 1]


def test_cheap_nodes_come_first_and_in_turn() -> None:
    order = run(drawn("A=5 B=1 C=5 D=1 A-B A-C A-D"), "ABCD", Sharing(slots=1, cheap_ns=2)).start_ns.tolist()
    assert order == [0, 5, 7, 6]


def test_sending_keeps_both_ends_from_computing_and_itself_takes_no_longer() -> None:
    #  A's 8 bytes travel from 2 to 10; C at the sender and D at the receiver lose 3 and 4
    sketch = drawn("A=2 B=1 C=20 D=20 A-B:8 A-C")
    taken = run(sketch, "AC BD", Sharing(slots=1, cheap_ns=0, send_ns=3, receive_ns=4))
    assert taken.transfer_finish_ns.max() == 10
    assert taken.finish_ns[sketch["C"]] == 2 + 20 + 3
    assert taken.finish_ns[sketch["D"]] == 20 + 4


@given(st.data())
def test_every_node_runs_after_its_inputs_and_no_device_does_more_than_it_can(data: st.DataObject) -> None:
    work = data.draw(workloads())
    machine = data.draw(machines(work.k))
    place = data.draw(placements(work.dag.n, work.k))
    slots = data.draw(st.integers(1, 3))
    found = simulate_sharing(work, machine, place, Sharing(slots=slots, cheap_ns=2, send_ns=1, receive_ns=1))
    own = work.time_ns[np.arange(work.dag.n), place]
    assert (found.finish_ns - found.start_ns >= own).all()
    local = found.edge_transfer < 0
    dag = work.dag
    assert (found.start_ns[dag.dst[local]] >= found.finish_ns[dag.src[local]]).all()
    arrival = found.transfer_finish_ns[found.edge_transfer[~local]]
    assert (found.start_ns[dag.dst[~local]] >= arrival).all()
    for device in range(work.k):
        here = place == device
        assert found.finish_ns[here].max(initial=0) >= own[here].sum()
