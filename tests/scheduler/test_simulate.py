import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scheduler import memory, referee
from scheduler.dag import CycleError, Dag
from scheduler.machine import UNLIMITED, Machine
from scheduler.simulate import CONTENTION, simulate
from scheduler.workload import Workload
from tests.factories import BYTES_PER_NS, drawn
from tests.strategies import machines, placements, workloads


def two(latency: int = 0) -> Machine:
    return Machine.uniform(2, UNLIMITED, latency, BYTES_PER_NS)


def test_a_chain_on_one_device_takes_the_sum() -> None:
    sketch = drawn("A=3 B=4 C=5 A-B-C")
    assert simulate(sketch.workload(), two(), sketch.placement("ABC")).makespan_ns == 12


def test_a_cut_edge_adds_latency_and_bytes_over_rate() -> None:
    sketch = drawn("A=3 B=4 A-B:10")
    assert simulate(sketch.workload(), two(latency=7), sketch.placement("A B")).makespan_ns == 3 + 7 + 10 + 4


def test_two_readers_on_one_device_share_one_transfer() -> None:
    sketch = drawn("A=1 A-B:5 A-C:5")
    assert len(simulate(sketch.workload(), two(), sketch.placement("A BC")).transfer_src) == 1


def test_tensors_of_different_size_are_sent_apart_and_queue_at_the_port() -> None:
    #  A --5--> B      both on the other device: with ports the second waits for the first
    #    --8--> C
    sketch = drawn("A=1 A-B:5 A-C:8")
    work, place = sketch.workload(), sketch.placement("A BC")
    apart, queued = (simulate(work, two(), place, contention=c) for c in CONTENTION)
    assert apart.transfer_finish_ns.tolist() == [6, 9]
    assert queued.transfer_finish_ns.tolist() == [6, 14]


def test_fifo_takes_what_was_ready_first_and_blevel_what_has_the_longest_way() -> None:
    #  D waits with A's device busy; B is ready at 0, C's long way starts at 1
    sketch = drawn("A=1 B=5 C=5 D=9 A-C C-D")
    work, place = sketch.workload(), sketch.placement("ABCD ")
    assert simulate(work, two(), place, "fifo").start_ns[sketch["B"]] == 1
    assert (
        simulate(work, two(), place, "blevel").start_ns[sketch["B"]]
        > simulate(work, two(), place, "blevel").start_ns[sketch["C"]]
    )


def test_blevel_counts_edges_as_transfers_on_a_single_device_too() -> None:
    #  A=1 --10--> C=1     B=3: A's way is 12 long with the transfer, 2 without
    sketch = drawn("A=1 B=3 C=1 A-C:10")
    work = sketch.workload(1)
    alone = simulate(work, Machine.uniform(1, UNLIMITED, 0, BYTES_PER_NS), np.zeros(3, np.int32), "blevel")
    assert alone.start_ns.tolist() == [0, 1, 4]


def test_unlike_devices_and_links_take_their_own_times() -> None:
    dag = Dag.from_edges(2, [0], [1])
    work = Workload.build(dag, [[4, 40], [6, 60]], [10], [0, 0], [0, 0], [0, 0])
    machine = Machine.ported(("a", "b"), UNLIMITED, [[0, 5], [50, 0]], [[1, 10**9], [5 * 10**8, 1]])
    assert simulate(work, machine, np.array([0, 1], np.int32)).makespan_ns == 4 + 5 + 10 + 60
    assert simulate(work, machine, np.array([1, 0], np.int32)).makespan_ns == 40 + 50 + 20 + 6


def test_a_shared_link_on_two_paths_carries_one_tensor_at_a_time() -> None:
    """Two islands joined by one network card: senders and receivers differ, the card is shared."""
    dag = Dag.from_edges(4, [0, 1], [2, 3])
    work = Workload.build(dag, np.ones((4, 4), np.int64), [10, 10], [0] * 4, [0] * 4, [0] * 4)
    ported = Machine.uniform(4, UNLIMITED, 0, 10**9)
    card = len(ported.links)
    ptr, path = [0], []
    for i in range(4):
        for j in range(4):
            path += [i, 4 + j] + ([card] if (i < 2) != (j < 2) else [])
            ptr.append(len(path))
    carded = Machine(
        ported.devices, ported.memory_bytes, ported.latency_ns, ported.bytes_per_s,
        np.array(ptr, np.int64), np.array(path, np.int32), (*ported.links, "card"),
    )  # fmt: skip
    place = np.arange(4, dtype=np.int32)
    assert simulate(work, ported, place).makespan_ns == 12
    assert simulate(work, carded, place).makespan_ns == 22


def test_a_cycle_is_named() -> None:
    work = Workload.build(Dag.from_edges(4, [0, 1, 2, 3], [1, 2, 1, 0]), np.ones((4, 2), int), [0] * 4, *[[0] * 4] * 3)
    with pytest.raises(CycleError) as caught:
        simulate(work, two(), np.zeros(4, np.int32))
    assert sorted(caught.value.cycle) == [1, 2]


def test_a_placement_outside_the_machine_is_refused() -> None:
    sketch = drawn("A-B")
    with pytest.raises(ValueError, match=r"device number in \[0, 2\)"):
        simulate(sketch.workload(), two(), np.array([0, 2], np.int32))


@given(data=st.data())
def test_the_referee_accepts_every_schedule(data: st.DataObject) -> None:
    k = data.draw(st.integers(1, 4))
    work, machine = data.draw(workloads(k, alike=False)), data.draw(machines(k, alike=False))
    place = data.draw(placements(work.dag.n, k))
    for order in ("fifo", "blevel"):
        for contention in CONTENTION:
            schedule = simulate(work, machine, place, order, contention)
            assert referee.faults(work, machine, schedule, contention) == []
            assert memory.peaks(work, machine, schedule).tolist() == referee.peaks(work, machine, schedule)


@given(data=st.data())
def test_the_referee_finds_what_is_tampered_with(data: st.DataObject) -> None:
    work, machine = data.draw(workloads(2)), data.draw(machines(2))
    schedule = simulate(work, machine, data.draw(placements(work.dag.n, 2)))
    late = np.flatnonzero(schedule.start_ns > 0)
    if len(late):
        schedule.start_ns[late[0]] -= 1
        assert referee.faults(work, machine, schedule) != []
